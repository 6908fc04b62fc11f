// Imports a job and is killed right before or after its first commit.
import { createReadStream } from 'node:fs';
import { openStore, Statek } from '../../../src/index.ts';
import { saveCompiledModules } from '../../support/compiled.ts';

saveCompiledModules();
const [place = '', file = '', when = 'before'] = process.argv.slice(2);
const store = await openStore(place);
const kit = await Statek.open({ store });
const commit = store.commit.bind(store);
store.commit = async (transactions) => {
  if (when === 'after') await commit(transactions);
  process.kill(process.pid, 'SIGKILL');
  return [];
};
await kit.importJob(createReadStream(file));
