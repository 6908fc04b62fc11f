// The program that has the agents: a kit served over standard input and output to whichever MCP client has started it.
// `statek mcp` does the same for a project with a configuration file.
import { Agent, Statek, tool } from 'statek';
import { serveMcp } from 'statek/mcp';
import { scriptedModel } from 'statek/testing';
import { z } from 'zod';
import { code, exampleModels } from '../models.ts';

const book = tool({
  name: 'book',
  description: 'Books a room.',
  input: z.object({ room: z.string(), day: z.string() }),
  approval: 'always',
  execute: async ({ room, day }, { idempotencyKey }) => `${room} on ${day}, receipt ${idempotencyKey}`,
});
const [store = '', ...options] = process.argv.slice(2);
const language = options.includes('--python') ? 'python' : 'typescript';
const clerk = new Agent({
  role: 'clerk',
  language,
  description: 'Books meeting rooms.',
  systemPrompt:
    'You book rooms. There are "Attic" for 4 and "Garden" for 12 people. Ask for the day with ask(question). End with exit(text).',
  tools: [book],
  metadata: { MODEL: 'script' },
});
const scripts = {
  typescript: code(
    'ts',
    "const room = people > 4 ? 'Garden' : 'Attic';",
    "const day = await ask('Which day?');",
    'print(`${room} on ${day}`);',
    'exit(await book(room, day));',
  ),
  python: code(
    'python',
    'room = "Garden" if people > 4 else "Attic"',
    'day = ask("Which day?")',
    'print(f"{room} on {day}")',
    'exit(book(room=room, day=day))',
  ),
};
const script = scriptedModel([scripts[language]], { by: 'turn' });

const kit = await Statek.open({ store, agents: [clerk], models: exampleModels({ script }) });
kit.start();
const served = await serveMcp(kit);
// The client is gone: jobs go on when the next one starts this program again.
await served.ended;
await kit.close();
