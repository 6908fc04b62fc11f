// `statek log`: the commits of a program.
import type { WorkspaceCommit } from '../../../workspace/workspace.ts';
import type { Command } from '../../line/command.ts';
import { timeText } from '../../shown/describe.ts';
import { findWorkspace } from '../../shown/identify.ts';
import { oneLine } from '../../output/style.ts';
import { bytesText } from '../../output/time.ts';
import { wholeNumber } from '../../line/parse.ts';

export const log: Command = {
  name: 'log',
  group: 'History',
  summary: 'list the commits of a job or workspace, newest first',
  arguments: [{ syntax: '<id>', description: 'a job or workspace' }],
  options: [
    {
      flags: '-n, --limit <number>',
      description: 'maximum number of commits (default: 50)',
      parse: wholeNumber(1, 100_000),
    },
  ],
  examples: [['log analysis -n 10', 'its last ten commits']],
  async run(session, given) {
    const { out } = session;
    const workspace = await findWorkspace(await session.kit('look'), given.text('id'));
    const limit = given.number('limit') ?? 50;
    const tags = await workspace.tags();
    const commits: (WorkspaceCommit & { tags: readonly string[] })[] = [];
    let cursor: string | undefined;
    do {
      const page = await workspace.commitPage({
        limit: Math.min(500, limit - commits.length),
        ...(cursor === undefined ? {} : { cursor }),
      });
      for (const commit of page.commits)
        commits.push({ ...commit, tags: tags.filter(({ hash }) => hash === commit.hash).map(({ name }) => name) });
      ({ cursor } = page);
    } while (cursor !== undefined && commits.length < limit);
    if (out.isJson) {
      out.json(commits);
      return;
    }
    out.table(commits, [
      { title: 'COMMIT', text: ({ hash }) => hash.slice(0, 12), style: (text) => out.style.yellow(text) },
      { title: 'KIND', text: ({ kind }) => kind },
      { title: 'STEP', text: ({ step }) => (step === null ? '' : String(step)), right: true },
      { title: 'TIME', text: ({ time }) => timeText(time) },
      { title: 'STORED', text: ({ storedBytes }) => bytesText(storedBytes), right: true },
      { title: 'TAGS', text: (commit) => oneLine(commit.tags.join(', ')), minWidth: 6 },
    ]);
    if (cursor !== undefined) out.note('There are more commits: raise --limit.');
  },
};
