// A kit with an agent whose model is scripted, to be served.
import { Agent, Models, Statek, tool } from '../../../src/index.ts';
import { scriptedModel } from '../../../src/testing.ts';

export async function servedKit(store: string): Promise<Statek> {
  const pay = tool({ name: 'pay', approval: 'always', execute: async (amount: number) => `paid ${amount}` });
  const clerk = new Agent({
    role: 'clerk',
    description: 'Answers.',
    metadata: { MODEL: 'script' },
    tools: [pay],
  });
  const script = scriptedModel(
    [
      '```ts\nprint("working");\nconst day = await ask("Which day?");\n```',
      '```ts\nconst paid = await pay(5);\n```',
      '```ts\nexit({ day, paid })\n```',
    ],
    { by: 'turn' },
  );
  return Statek.open({
    store,
    agents: [clerk],
    models: new Models({ models: { script }, env: {} }),
    leaseMilliseconds: 2000,
  });
}
