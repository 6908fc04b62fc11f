// `statek diff`: which variables changed between two commits.
import type { Command } from '../../line/command.ts';
import { findCommit, findWorkspace } from '../../shown/identify.ts';
import { harmless, oneLine } from '../../output/style.ts';

export const diff: Command = {
  name: 'diff',
  group: 'History',
  summary: 'show variables added, removed or changed between two commits',
  arguments: [
    { syntax: '<id>', description: 'a job or workspace' },
    { syntax: '<from>', description: 'a commit' },
    { syntax: '[to]', description: 'another commit (default: the latest)' },
  ],
  examples: [['diff analysis HEAD~1', 'what the last commit changed']],
  async run(session, given) {
    const { out } = session;
    const workspace = await findWorkspace(await session.kit('look'), given.text('id'));
    const from = await findCommit(workspace, given.text('from'));
    const to = await findCommit(workspace, given.optional('to') ?? 'HEAD');
    const changes = await workspace.diff(from, to);
    if (out.isJson) {
      out.json({ from, to, changes });
      return;
    }
    if (changes.length === 0) out.note('No variable changed.');
    for (const { name, change, before = '', after = '' } of changes) {
      const shown = harmless(name);
      if (change === 'removed') out.line(out.style.red(`- ${shown} = ${oneLine(before)}`));
      else if (change === 'added') out.line(out.style.green(`+ ${shown} = ${oneLine(after)}`));
      else
        out.lines([
          out.style.red(`- ${shown} = ${oneLine(before)}`),
          out.style.green(`+ ${shown} = ${oneLine(after)}`),
        ]);
    }
  },
};
