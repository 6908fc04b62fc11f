// A worker of version 2 that dies while it works on a job for the first time.
import { openStoreAt } from '../../chaos/place.ts';
import { saveCompiledModules } from '../../support/compiled.ts';
import { openVersion } from './upgrade.ts';

saveCompiledModules();
const [place = ''] = process.argv.slice(2);
const { kit } = await openVersion(await openStoreAt(place), {
  version: 2,
  pays: () => process.kill(process.pid, 'SIGKILL'),
});
await kit.runUntilIdle();
