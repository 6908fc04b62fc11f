// `statek workspaces`: lists workspaces.
import { jobRows } from '../../../jobs/rows.ts';
import { scanAll } from '../../../store/scan-all.ts';
import { workspaceRows, type WorkspaceRow } from '../../../workspace/rows.ts';
import type { Command } from '../../line/command.ts';
import { shownId, timeText } from '../../shown/describe.ts';
import { oneLine } from '../../output/style.ts';
import { wholeNumber } from '../../line/parse.ts';

export const workspaces: Command = {
  name: 'workspaces',
  group: 'Look',
  summary: 'list workspaces, by name',
  details: 'Leaves out the workspaces that belong to jobs; statek jobs lists those jobs.',
  options: [
    { flags: '-a, --all', description: 'include the workspaces of jobs' },
    {
      flags: '-n, --limit <number>',
      description: 'maximum number of workspaces (default: 50)',
      parse: wholeNumber(1, 10_000),
    },
    { flags: '--after <name>', description: 'continue after this workspace' },
  ],
  examples: [
    ['workspaces', 'list them; statek show NAME shows one, statek delete NAME deletes it'],
    ['workspaces --all --json', 'for a script'],
  ],
  async run(session, given) {
    const { out } = session;
    const { store } = await session.kit('look');
    const wanted = given.number('limit') ?? 50;
    const after = given.optional('after');
    const found: WorkspaceRow[] = [];
    let hasMore = false;
    for await (const { value } of scanAll(store, workspaceRows, after === undefined ? {} : { from: [after, null] })) {
      session.signal.throwIfAborted();
      if (!given.flag('all')) {
        const [job] = await store.read(jobRows, [[value.id]]);
        if (job !== undefined && job.value.workspace === undefined) continue;
      }
      if (found.length === wanted) {
        hasMore = true;
        break;
      }
      found.push(value);
    }
    const last = found.at(-1)?.id;
    if (out.isJson) {
      const records = found.map((row) => ({
        id: row.id,
        language: row.language,
        status: statusOf(row),
        steps: row.nextStep - 1,
        created: new Date(row.created),
        role: row.role,
        forkedFrom: row.forkedFrom,
      }));
      out.json({ workspaces: records, ...(hasMore ? { after: last } : {}) });
      return;
    }
    if (found.length === 0) {
      out.note('No workspaces found.');
      return;
    }
    out.table(found, [
      { title: 'WORKSPACE', text: ({ id }) => shownId(id, out), minWidth: 8 },
      { title: 'LANGUAGE', text: ({ language }) => language },
      { title: 'STATUS', text: statusOf },
      { title: 'STEPS', text: ({ nextStep }) => String(nextStep - 1), right: true },
      { title: 'CREATED', text: ({ created }) => timeText(new Date(created)) },
      { title: 'ROLE', text: ({ role }) => oneLine(role ?? ''), minWidth: 6 },
    ]);
    if (hasMore) out.note(`More workspaces: add --after ${oneLine(last ?? '')}`);
  },
};

function statusOf({ state }: WorkspaceRow): string {
  return state.current === null ? 'idle' : `waits in step ${state.current}`;
}
