// `statek rollback`: restores a program to a commit.
import type { Command } from '../../line/command.ts';
import { findCommit, findTarget, findWorkspace } from '../../shown/identify.ts';
import { harmless } from '../../output/style.ts';

export const rollback: Command = {
  name: 'rollback',
  group: 'History',
  summary:
    'restore a job or workspace to a commit; later commits are kept, external effects are neither undone nor repeated',
  arguments: [
    { syntax: '<id>', description: 'a job or workspace' },
    { syntax: '<commit>', description: 'a hash (may be shortened), or HEAD~2' },
  ],
  examples: [['rollback analysis HEAD~1', 'undo the last commit']],
  async run(session, given) {
    const { out } = session;
    const kit = await session.kit('look');
    const { job } = await findTarget(kit, given.text('id'));
    const workspace = await findWorkspace(kit, given.text('id'));
    const commit = await findCommit(workspace, given.text('commit'));
    await (job ?? workspace).rollback(commit);
    const [head] = await workspace.commits({ limit: 1 });
    if (out.isJson) out.json({ id: workspace.id, to: commit, commit: head?.hash });
    else out.line(`Rolled ${harmless(workspace.id)} back to ${commit.slice(0, 12)}.`);
  },
};
