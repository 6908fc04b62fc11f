// The agent of all thousand jobs: it takes a parcel, waits a moment, delivers it, and reports.
import { appendFileSync } from 'node:fs';
import { Agent, Models, tool } from 'statek';
import { scriptedModel } from 'statek/testing';
import { z } from 'zod';
import { code } from '../models.ts';

export type CourierLanguage = 'typescript' | 'python';

/** @param book the file in which the world outside writes down what was delivered, by the key of the call */
export function courierWith(
  book: string,
  language: CourierLanguage,
): { readonly courier: Agent; readonly models: Models } {
  const deliver = tool({
    name: 'deliver',
    description: 'Delivers a parcel.',
    input: z.object({ parcel: z.int() }),
    idempotent: true, // the other side knows the key: a process that died may have made the call
    execute: async (_parcel, { idempotencyKey }) => appendFileSync(book, `${idempotencyKey}\n`),
  });
  const courier = new Agent({
    role: 'courier',
    language,
    systemPrompt: `You deliver the parcel in the variable \`parcel\`, a number. First make a list \`route\` of two towns; then go through it
with ${language === 'python' ? 'sleep(0.1) in each, deliver(parcel)' : 'await sleep(100) in each, await deliver(parcel)'}, and end with exit(number of towns).`,
    tools: [deliver],
    metadata: { MODEL: 'script' },
  });
  const replies = {
    typescript: [
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
    python: [
      code('python', 'route = ["Ghent", "Bruges"]', 'visited = []'),
      code(
        'python',
        'for town in route:',
        '    sleep(0.1)',
        '    visited.append(town)',
        'deliver(parcel)',
        'exit(len(visited))',
      ),
    ],
  };
  const script = scriptedModel(replies[language], { by: 'turn' });
  // Scripted in any case: a thousand agents are not a good moment to find out what a real model costs.
  return { courier, models: new Models({ models: { script }, env: {} }) };
}
