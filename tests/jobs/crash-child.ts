// A process with a worker, and a job in its store whose code ends the process.
import { program, Statek } from '../../src/index.ts';
import { saveCompiledModules } from '../support/compiled.ts';

saveCompiledModules();

const [folder = ''] = process.argv.slice(2);
const deadly = program({ role: 'deadly', source: `print('about to'); bomb.explode()` });
const harmless = program({ role: 'harmless', source: `await sleep(1); 'fine'` });
const bomb = { explode: () => process.kill(process.pid, 'SIGKILL') };
const kit = await Statek.open({
  store: folder,
  drivers: [deadly, harmless],
  services: { bomb },
  leaseMilliseconds: 1500,
});
await kit.submit(deadly, { id: 'deadly', vars: { bomb } });
await kit.submit(harmless, { id: 'harmless' });
kit.start({ maxCrashes: 1 });
const jobs = await Promise.all(['deadly', 'harmless'].map((id) => kit.job(id)));
for (;;) {
  const done = await Promise.all(jobs.map((job) => job.refresh()));
  if (done.every(({ status }) => status === 'DONE')) {
    process.send?.(done.map(({ outcome, error }) => [outcome, error?.code, error?.message]));
    break;
  }
  await new Promise((resolve) => setTimeout(resolve, 20));
}
await kit.close();
process.disconnect();
