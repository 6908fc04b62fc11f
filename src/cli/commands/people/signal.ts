// `statek signal`: sends a signal by name.
import type { Command } from '../../line/command.ts';
import { harmless } from '../../output/style.ts';
import { jsonOrFile, jsonOrText } from '../../line/parse.ts';

export const signal: Command = {
  name: 'signal',
  group: 'Act',
  summary: 'send a signal; it ends the oldest wait for its name, or the next one if there is none',
  arguments: [
    { syntax: '<name>', description: 'what programs wait for' },
    {
      syntax: '[payload]',
      description: 'parsed as JSON where possible (41 is a number, \'"41"\' a string), otherwise a string',
    },
  ],
  options: [
    { flags: '--data', description: 'the payload is JSON, or @file' },
    { flags: '--latest', description: 'replace earlier signals of that name that nothing has received' },
  ],
  examples: [
    ['signal "approved by ann" yes', 'send a string'],
    ['signal count 41', 'send a number'],
    ['signal payment:42 \'{"amount":20}\' --data', 'send JSON; invalid JSON is an error'],
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

/** Names the type, so that a caller who meant the string '41' notices that a number was sent. */
function kindAndValue(payload: unknown): string {
  const shown = JSON.stringify(payload);
  const value = shown.length > 200 ? `${shown.slice(0, 200)}…` : shown;
  if (typeof payload === 'string') return `the string ${value}`;
  if (typeof payload === 'number') return `the number ${value}`;
  return typeof payload === 'object' && payload !== null ? `the data ${value}` : value;
}
