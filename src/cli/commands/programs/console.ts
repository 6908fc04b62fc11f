// `statek console`: the output of a program.
import type { Command } from '../../line/command.ts';
import { findWorkspace } from '../../shown/identify.ts';
import { harmless } from '../../output/style.ts';
import { wholeNumber } from '../../line/parse.ts';

export const consoleCommand: Command = {
  name: 'console',
  group: 'Look',
  summary: 'print the console of a job or workspace',
  arguments: [{ syntax: '<id>', description: 'a job or workspace' }],
  options: [{ flags: '-n, --last <lines>', description: 'only the last lines', parse: wholeNumber(0, 1_000_000) }],
  examples: [['console analysis --last 20', 'its last twenty lines']],
  async run(session, given) {
    const { out } = session;
    const kit = await session.kit('look');
    const all = await (await findWorkspace(kit, given.text('id'))).console();
    const last = given.number('last');
    const lines = last === undefined ? all : all.slice(Math.max(0, all.length - last));
    if (out.isJson) out.json(lines);
    else out.lines(lines.map(harmless));
  },
};
