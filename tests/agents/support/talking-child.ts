// A process that works for an agent that talks, until it is sent a message. It is ended by being killed.
import { Statek } from '../../../src/index.ts';
import { openStoreAt } from '../../chaos/place.ts';
import { saveCompiledModules } from '../../support/compiled.ts';
import { talker, talkingModels } from './talking.ts';

saveCompiledModules();

let isEnough = false;
const store = await openStoreAt(process.argv[2] ?? '');
const kit = await Statek.open({ store, agents: [talker()], models: talkingModels(() => isEnough) });
kit.start();
process.once('message', () => (isEnough = true));
process.send?.('working');
