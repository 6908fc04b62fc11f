// One worker of a team: it claims tasks and completes them until it is killed. Each result that was acknowledged is a line in a file.
import { appendFileSync } from 'node:fs';
import { OrchestrationStateManager } from '../../../src/state.ts';
import { openStoreAt } from '../../chaos/place.ts';
import { saveCompiledModules } from '../../support/compiled.ts';

saveCompiledModules();

const [place = '', team = '', agent = '', log = '', concurrency = '1'] = process.argv.slice(2);
const teams = new OrchestrationStateManager({
  store: await openStoreAt(place),
  leaseMilliseconds: 3000,
  syncInterval: 0.2,
});
await teams.addAgent(team, agent, { capabilities: ['even'] });
process.send?.('started');
process.on('disconnect', () => process.exit(0));

await Promise.all(
  Array.from({ length: Number(concurrency) }, async () => {
    for (;;) {
      const claimed = await teams.claimTask(team, agent, { waitMilliseconds: 60_000 });
      if (claimed === undefined) continue;
      const { taskId } = claimed.task;
      await teams.completeTask(team, taskId, { by: agent });
      appendFileSync(log, `${taskId}\n`);
    }
  }),
);
