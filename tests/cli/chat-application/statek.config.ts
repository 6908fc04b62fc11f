// An application to talk with: its model says what the person dictates, and waits where it is told to until a file is there.
import { existsSync, rmSync } from 'node:fs';
import { Agent, defineConfig, program, tool } from '../../../src/index.ts';
import { DictatedModel } from '../../support/dictated-model.ts';

const dictated = new DictatedModel();
const permission = process.env['STATEK_TEST_PERMISSION'];
if (permission !== undefined)
  setInterval(() => {
    if (!existsSync(permission)) return;
    rmSync(permission);
    dictated.allow();
  }, 20).unref();

const pay = tool({ name: 'pay', approval: 'always', execute: async (amount: number) => `paid ${amount}` });

export default defineConfig({
  agents: [new Agent({ role: 'guide', chatStyle: 'MD_DIALOG', tools: [pay], metadata: { MODEL: 'dictated' } })],
  models: { models: { dictated }, retry: { attempts: 1 } },
  leaseMilliseconds: 5000,
  drivers: [program({ role: 'asks', source: `const day = await ask('Which day?'); 'on ' + day` })],
});
