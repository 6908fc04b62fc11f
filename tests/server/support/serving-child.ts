// A process that serves and works for an agent that talks until it is sent a message. It is ended by being killed.
import { Statek } from '../../../src/index.ts';
import { server } from '../../../src/server.ts';
import { talker, talkingModels } from '../../agents/support/talking.ts';
import { openStoreAt } from '../../chaos/place.ts';
import { saveCompiledModules } from '../../support/compiled.ts';

saveCompiledModules();

const [, , place = '', token = ''] = process.argv;
let isEnough = false;
const store = await openStoreAt(place);
const kit = await Statek.open({ store, agents: [talker()], models: talkingModels(() => isEnough) });
const { url } = await server(kit, { token }).listen();
kit.start();
process.once('message', () => (isEnough = true));
process.send?.(url);
