// The agent of all thousand jobs: it takes a parcel, waits a moment, delivers it, and reports.
import { appendFileSync } from 'node:fs';
import { Agent, Models, tool } from 'statek';
import { scriptedModel } from 'statek/testing';
import { z } from 'zod';
import { code } from '../models.ts';

/** @param book the file in which the world outside writes down what was delivered, by the key of the call */
export function courierWith(book: string): { readonly courier: Agent; readonly models: Models } {
  const deliver = tool({
    name: 'deliver',
    description: 'Delivers a parcel.',
    input: z.object({ parcel: z.int() }),
    idempotent: true, // the other side knows the key: a process that died may have made the call
    execute: async (_parcel, { idempotencyKey }) => appendFileSync(book, `${idempotencyKey}\n`),
  });
  const courier = new Agent({
    role: 'courier',
    systemPrompt: `You deliver the parcel in the variable \`parcel\`, a number. First make a list \`route\` of two towns; then go through it
with await sleep(100) in each, await deliver(parcel), and end with exit(number of towns).`,
    tools: [deliver],
    metadata: { MODEL: 'script' },
  });
  const script = scriptedModel(
    [
      code('ts', "const route = ['Ghent', 'Bruges'];", 'const visited = [];'),
      code(
        'ts',
        'for (const town of route) {',
        '  await sleep(100);',
        '  visited.push(town);',
        '}',
        'await deliver(parcel);',
        'exit(visited.length);',
      ),
    ],
    { by: 'turn' },
  );
  // Scripted in any case: a thousand agents are not a good moment to find out what a real model costs.
  return { courier, models: new Models({ models: { script }, env: {} }) };
}
