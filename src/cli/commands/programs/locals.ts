// `statek locals`: the variables of a program.
import type { Command } from '../../line/command.ts';
import { findTarget, findWorkspace } from '../../shown/identify.ts';
import { harmless } from '../../output/style.ts';
import { wholeNumber } from '../../line/parse.ts';
import { shownVariables } from '../../shown/variables.ts';
import { NotFoundError } from '../../../workspace/errors.ts';

export const locals: Command = {
  name: 'locals',
  group: 'Look',
  summary: 'print the variables of a job or workspace, without running its code',
  arguments: [
    { syntax: '<id>', description: 'a job or workspace' },
    { syntax: '[name]', description: 'only this variable' },
  ],
  options: [
    {
      flags: '--depth <levels>',
      description: 'how deep nested values are shown (default: 5)',
      parse: wholeNumber(0, 1000),
    },
    {
      flags: '--items <number>',
      description: 'how many members of one value are shown (default: 100)',
      parse: wholeNumber(0, 1_000_000),
    },
  ],
  examples: [
    ['locals analysis', 'every variable'],
    ['locals 3f2a total --json', 'one variable of a job as JSON'],
  ],
  async run(session, given) {
    const { out } = session;
    const kit = await session.kit('look');
    const { job } = await findTarget(kit, given.text('id'));
    const workspace = await findWorkspace(kit, given.text('id'));
    const name = given.optional('name');
    const all = await shownVariables(kit, job ?? workspace, {
      items: given.number('items'),
      depth: given.number('depth'),
      maxLength: 20_000,
    });
    const wanted = name === undefined ? all : all.filter((one) => one.name === name);
    if (name !== undefined && wanted.length === 0)
      throw new NotFoundError(
        `'${workspace.id}' has no variable '${name}'. Its variables: ${all.map((one) => one.name).join(', ') || 'none'}.`,
        { name },
      );
    if (out.isJson)
      out.json(name === undefined ? Object.fromEntries(wanted.map((one) => [one.name, one.json])) : wanted[0]?.json);
    else if (name !== undefined) out.lines(wanted.map(({ text }) => text));
    else out.facts(wanted.map((one) => [harmless(one.name), one.text]));
  },
};
