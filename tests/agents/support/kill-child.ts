// A process that works on a job of an agent, to be killed: at its first request to the model, or while its code runs.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, Models, Statek } from '../../../src/index.ts';
import { killScript, settling } from './kill-script.ts';

const [folder = '', mode = ''] = process.argv.slice(2);
const agent = new Agent({
  role: 'helper',
  metadata: { MODEL: 'script' },
  tools: [settling(folder, mode === 'code' ? () => process.send?.('running') : undefined)],
});
const model = killScript(folder, mode === 'request' ? () => process.send?.('asked') : undefined);
const kit = await Statek.open({
  store: join(folder, 'store'),
  agents: [agent],
  models: new Models({ models: { script: model }, env: {} }),
  leaseMilliseconds: 500,
});
const job = await kit.submit(agent, { id: 'job', message: 'Please.' });
await job.result();
appendFileSync(join(folder, 'log'), 'done\n');
