// `statek signal`: sends a signal by name.
import type { Command } from '../command.ts';
import { harmless } from '../output/style.ts';
import { jsonOrFile } from '../parse.ts';

export const signal: Command = {
  name: 'signal',
  group: 'Act',
  summary: 'send a signal: it ends the oldest wait for its name, or the next one',
  arguments: [
    { syntax: '<name>', description: 'what programs wait for' },
    { syntax: '[payload]', description: 'what they are given, as text' },
  ],
  options: [
    { flags: '--data', description: 'the payload is JSON, or @file with JSON in it' },
    { flags: '--latest', description: 'drop signals of that name that nobody took' },
  ],
  examples: [
    ['signal "approved by ann" yes', 'with a text'],
    ['signal payment:42 \'{"amount":20}\' --data', 'with data'],
  ],
  async run(session, given) {
    const { out } = session;
    const name = given.text('name');
    const text = given.optional('payload');
    const payload = text !== undefined && given.flag('data') ? jsonOrFile('the payload', text, session.folder) : text;
    const kit = await session.kit('look');
    await kit.signal(name, payload, { keep: given.flag('latest') ? 'latest' : 'all' });
    if (out.isJson) out.json({ signal: name, payload });
    else out.line(`Sent ${harmless(name)}.`);
  },
};
