// `statek fork`: a new workspace that begins at a commit of another program.
import type { Command } from '../command.ts';
import { findCommit, findWorkspace } from '../identify.ts';
import { harmless } from '../output/style.ts';

export const fork: Command = {
  name: 'fork',
  group: 'History',
  summary: 'a new workspace that begins at a commit of a job or workspace',
  arguments: [
    { syntax: '<id>', description: 'a job or workspace' },
    { syntax: '[commit]', description: 'where it begins; the latest commit unless told' },
  ],
  options: [{ flags: '--name <name>', description: 'what the new workspace is called' }],
  examples: [['fork 3f2a 5f3c --name what-if', 'try something else from that moment on']],
  async run(session, given) {
    const { out } = session;
    const workspace = await findWorkspace(await session.kit('look'), given.text('id'));
    const commit = await findCommit(workspace, given.optional('commit') ?? 'HEAD');
    const forked = await workspace.fork(commit, given.optional('name'));
    if (out.isJson) out.json({ workspace: forked.id, from: workspace.id, commit });
    else out.line(harmless(forked.id));
  },
};
