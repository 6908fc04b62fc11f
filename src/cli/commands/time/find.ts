// `statek find`: the first commit at which an expression is true.
import type { Command } from '../../line/command.ts';
import { UsageError } from '../../line/errors.ts';
import { findWorkspace } from '../../shown/identify.ts';
import { timeText } from '../../shown/describe.ts';
import { harmless, oneLine } from '../../output/style.ts';

export const find: Command = {
  name: 'find',
  group: 'History',
  summary: 'find the first commit at which an expression is true, by bisection',
  details: `The expression is evaluated on copies of the program: it can change nothing and wait for nothing. Where it becomes true
and false several times, one of the commits at which it becomes true is found.`,
  arguments: [{ syntax: '<id>', description: 'a job or workspace' }],
  options: [{ flags: '-e, --expression <code>', description: 'in the language of the program' }],
  examples: [["find analysis -e 'total < 0'", 'where it went wrong']],
  async run(session, given) {
    const { out } = session;
    const code = given.optional('expression');
    if (code === undefined) throw new UsageError("find needs an expression, as in -e 'total < 0'.");
    const workspace = await findWorkspace(await session.kit('look'), given.text('id'));
    const { found, evaluated, error } = await workspace.find(code);
    if (out.isJson) out.json({ found: found ?? null, evaluated, error: error ?? null });
    else if (error !== undefined)
      out.note(`It has no value at any of the commits that were looked at (${evaluated}): ${oneLine(harmless(error))}`);
    else if (found === undefined) out.note(`It is true at none of the commits that were looked at (${evaluated}).`);
    else
      out.facts([
        ['commit', out.style.yellow(found.hash.slice(0, 12))],
        ['number', String(found.sequence)],
        ['time', timeText(found.time)],
        ['evaluated', `${evaluated} times`],
      ]);
    return found === undefined ? 1 : 0;
  },
};
