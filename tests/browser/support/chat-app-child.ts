// The chat application of the examples as a process of its own, with a model that waits where a test says. It is ended by being
// killed.
import { clerkWith } from '../../../examples/chat-app/clerk.ts';
import { serveApplication } from '../../../examples/chat-app/serve.ts';
import { Models, Statek } from '../../../src/index.ts';
import { saveCompiledModules } from '../../support/compiled.ts';
import { DictatedModel } from '../../support/dictated-model.ts';

saveCompiledModules();

const [, , store = '', page = '', port = '0'] = process.argv;
const dictated = new DictatedModel();
const models = new Models({ models: { dictated }, env: {}, retry: { attempts: 1 } });
const kit = await Statek.open({ store, agents: [clerkWith('dictated')], models });
const url = await serveApplication(kit, page, Number(port));
kit.start();
process.on('message', () => dictated.allow());
process.send?.(url);
