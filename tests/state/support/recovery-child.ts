// A process that saves a snapshot and a checkpoint of its job, changes the job, and is killed while its model is asked.
import { join } from 'node:path';
import { Models, Statek } from '../../../src/index.ts';
import { code, counter, script, type RecoveryLanguage } from './recovery.ts';

const [folder, language] = process.argv.slice(2) as [string, RecoveryLanguage];
const hang = async (): Promise<string> => {
  process.send?.('hanging');
  return new Promise<never>(() => setInterval(() => undefined, 1000));
};
const model = script(
  code(language, 'let count = 1', 'count = 1'),
  'One.',
  code(language, 'count = 100', 'count = 100'),
  hang,
);
const kit = await Statek.open({
  store: join(folder, 'store'),
  agents: [counter(language)],
  models: new Models({ models: { script: model }, env: {} }),
  leaseMilliseconds: 1000,
});
const job = await kit.submit('counter', { id: 'job', message: 'Count.' });
await job.result();
await kit.agents.saveSnapshot({ agentId: 'job', snapshotId: 'one' });
await kit.workflows.checkpoint('job', { checkpointId: 'one' });
await job.say('Go on.');
await job.result();
