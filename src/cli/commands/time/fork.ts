// `statek fork`: a new job or workspace that starts at a commit of another one.
import type { Command } from '../../line/command.ts';
import { findCommit, findTarget, findWorkspace } from '../../shown/identify.ts';
import { harmless } from '../../output/style.ts';

export const fork: Command = {
  name: 'fork',
  group: 'History',
  summary: 'create a job or workspace that starts at a commit of another one',
  arguments: [
    { syntax: '<id>', description: 'a job or workspace' },
    { syntax: '[commit]', description: 'where it starts (default: the latest commit)' },
  ],
  options: [{ flags: '--name <name>', description: 'the name of the new one' }],
  examples: [['fork 3f2a 5f3c --name what-if', 'try something else from that commit on']],
  async run(session, given) {
    const { out } = session;
    const kit = await session.kit('look');
    const { job } = await findTarget(kit, given.text('id'));
    const workspace = await findWorkspace(kit, given.text('id'));
    const commit = await findCommit(workspace, given.optional('commit') ?? 'HEAD');
    const forked = await (job ?? workspace).fork(commit, given.optional('name'));
    if (out.isJson) out.json({ workspace: forked.id, from: workspace.id, commit });
    else out.line(harmless(forked.id));
  },
};
