// A process that works on a job of an agent, to be killed: at its first request to the model, while its code waits for a
// tool, or while the code of another agent does, to which it was delegated.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { Models, Statek } from '../../../src/index.ts';
import { killAgents, killModels, type KillLanguage, type KillMode } from './kill-script.ts';
import { saveCompiledModules } from '../../support/compiled.ts';

saveCompiledModules();

const [folder, mode, language] = process.argv.slice(2) as [string, KillMode, KillLanguage];
const hang = (): void => void process.send?.('hanging');
const kit = await Statek.open({
  store: join(folder, 'store'),
  agents: killAgents(folder, mode, language, hang),
  models: new Models({ models: killModels(folder, mode, language, hang), env: {} }),
  leaseMilliseconds: 2000,
});
const job = await kit.submit('helper', { id: 'job', message: 'Please.' });
await job.result();
appendFileSync(join(folder, 'log'), 'done\n');
