// The application that the tests of the command line run: one role for each thing a person may have to do.
import { Agent, defineConfig, Durable, program, tool, type Driver } from '../../../src/index.ts';
import { openPostgres } from '../../../src/postgres.ts';
import { scriptedModel } from '../../../src/testing.ts';

/** A note that is kept. */
export class Note extends Durable {
  static durable = { name: 'Note' };
  text: string;

  constructor(text: string) {
    super();
    this.text = text;
  }
}

const pay = tool({ name: 'pay', approval: 'always', execute: async (amount: number) => `paid ${amount}` });

const talker: Driver = {
  role: 'talker',
  reopens: true,
  next: ({ messages, state }) => {
    const heard = [...((state as string[] | null) ?? []), ...messages.map(({ body }) => String(body))];
    return heard.includes('enough') ? { finish: heard, state: [] } : { wait: 'message', state: heard };
  },
};

const script = scriptedModel(
  ['```ts\nconst seven = 3 + 4;\nprint("seven is", seven);\n```', '```ts\nexit(seven)\n```'],
  { by: 'turn' },
);

export default defineConfig(async () => {
  const url = process.env['STATEK_TEST_CLI_POSTGRES'];
  const schema = process.env['STATEK_TEST_CLI_SCHEMA'];
  return {
    ...(url === undefined ? {} : { store: await openPostgres(url, { schema }) }),
    classes: [Note],
    services: { pay, greeter: { hello: (name: string) => `hello ${name}` } },
    agents: [new Agent({ role: 'clerk', systemPrompt: 'You count.', metadata: { MODEL: 'script' } })],
    models: { models: { script } },
    leaseMilliseconds: Number(process.env['STATEK_TEST_CLI_LEASE'] ?? 5000),
    drivers: [
      program({ role: 'double', source: `print('doubling', n); n * 2` }),
      program({ role: 'fails', source: `throw new RangeError('too many')` }),
      program({ role: 'asks', source: `const day = await ask('Which day?'); 'on ' + day` }),
      program({ role: 'consents', source: `await approve('Order pizza?'); 'ordered'` }),
      program({
        role: 'buys',
        source: `await approve('Buy it?', { item: 'desk', note: 'line one\\nline two \\u001b[31m', euros: 300 }); 'bought'`,
      }),
      program({ role: 'pays', source: `await pay(20)` }),
      program({ role: 'listens', source: `const got = await signal('bell'); got` }),
      program({ role: 'parent', source: `await delegate('double', { vars: { n: 21 } })` }),
      program({ role: 'counts', source: `let n = 0; while (n < 12) { n++; await sleep(150); } n` }),
      talker,
    ],
  };
});
