// `statek signal`: sends a signal by name.
import type { Command } from '../../line/command.ts';
import { harmless } from '../../output/style.ts';
import { jsonOrFile, jsonOrText } from '../../line/parse.ts';

export const signal: Command = {
  name: 'signal',
  group: 'Act',
  summary: 'send a signal: it ends the oldest wait for its name, or the next one',
  arguments: [
    { syntax: '<name>', description: 'what programs wait for' },
    {
      syntax: '[payload]',
      description: 'what they are given: JSON if it is JSON (41 is a number, \'"41"\' a text), and otherwise a text',
    },
  ],
  options: [
    { flags: '--data', description: 'the payload is JSON, or @file with JSON in it' },
    { flags: '--latest', description: 'drop signals of that name that nobody took' },
  ],
  examples: [
    ['signal "approved by ann" yes', 'with a text'],
    ['signal count 41', 'with a number'],
    ['signal payment:42 \'{"amount":20}\' --data', 'with data; what is not JSON is refused'],
  ],
  async run(session, given) {
    const { out } = session;
    const name = given.text('name');
    const text = given.optional('payload');
    const payload =
      text === undefined
        ? undefined
        : given.flag('data')
          ? jsonOrFile('the payload', text, session.folder)
          : jsonOrText(text);
    const kit = await session.kit('look');
    await kit.signal(name, payload, { keep: given.flag('latest') ? 'latest' : 'all' });
    if (out.isJson) out.json({ signal: name, payload });
    else out.line(harmless(payload === undefined ? `Sent ${name}.` : `Sent ${name} with ${kindAndValue(payload)}.`));
  },
};

/** What was sent, so that somebody who meant the text '41' sees that it was the number. */
function kindAndValue(payload: unknown): string {
  const shown = JSON.stringify(payload);
  const value = shown.length > 200 ? `${shown.slice(0, 200)}…` : shown;
  if (typeof payload === 'string') return `the text ${value}`;
  if (typeof payload === 'number') return `the number ${value}`;
  return typeof payload === 'object' && payload !== null ? `the data ${value}` : value;
}
