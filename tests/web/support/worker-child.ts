// A process that works on the jobs of a store until it is killed.
import { Statek } from '../../../src/index.ts';
import { saveCompiledModules } from '../../support/compiled.ts';
import { all } from './programs.ts';
import { slow } from './slow.ts';

saveCompiledModules();
const [, , folder = ''] = process.argv;
const kit = await Statek.open({
  store: folder,
  drivers: [...all, slow.program],
  services: { mail: slow.mail },
  leaseMilliseconds: 1000,
});
kit.start();
process.send?.('working');
