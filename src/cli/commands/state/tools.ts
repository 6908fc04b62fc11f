// `statek tools`: statistics and the history of calls that agents made, and of executions that were reported.
import type { StatsFilter, StatsGroup } from '../../../state/tools/statistics.ts';
import type { ToolExecution, ToolStats } from '../../../state/tools/records.ts';
import { callLogRows } from '../../../workspace/futures/call-log.ts';
import { indexRows } from '../../../state/tools/rows.ts';
import type { Statek } from '../../../kit/statek.ts';
import type { Command, Given } from '../../line/command.ts';
import { UsageError } from '../../line/errors.ts';
import { wholeNumber } from '../../line/parse.ts';
import { oneLine } from '../../output/style.ts';
import { durationText, parseTime } from '../../output/time.ts';
import type { Session } from '../../session.ts';
import { shownId, timeText } from '../../shown/describe.ts';
import { shown, watchOption } from './follow.ts';
import { refuseOptionsOfOthers } from '../../line/refuse-options.ts';

const groups: readonly StatsGroup[] = ['tool', 'role', 'hour', 'day'];

export const tools: Command = {
  name: 'tools',
  group: 'Look',
  summary: 'statistics and history of tool calls',
  details: `statek tools stats [tool] shows how often tools were called, how often that failed, and how long it took.
statek tools history [tool] shows the calls themselves, newest first.`,
  arguments: [
    { syntax: '<what>', description: 'stats or history' },
    { syntax: '[tool]', description: 'only this tool' },
  ],
  options: [
    { flags: '-r, --role <role>', description: 'only calls of this role' },
    {
      flags: '--since <time>',
      description: 'at or after: an ISO date, or how long ago (2h, 7d); statistics count whole hours',
      parse: (option, text) => parseTime(option, text),
    },
    { flags: '--by <group>', description: 'stats by tool (the default), role, hour or day', choices: groups },
    {
      flags: '-n, --limit <number>',
      description: 'history: maximum number of calls (default: 50)',
      parse: wholeNumber(1, 1000),
    },
    { flags: '--cursor <text>', description: 'history: continue after the page that ended with this cursor' },
    watchOption,
  ],
  examples: [
    ['tools stats', 'all tools'],
    ['tools stats search --by day --since 7d', 'one tool, day by day'],
    ['tools history search --limit 20 --json', 'the latest calls of one tool, for a script'],
    ['tools stats --watch', 'as they change'],
  ],
  async run(session, given) {
    const kit = await session.kit('look');
    const what = given.text('what');
    refuseOptionsOfOthers(given, `tools ${what}`, what, { by: ['stats'], limit: ['history'], cursor: ['history'] });
    if (what === 'stats') return showStats(session, kit, given);
    if (what === 'history') return showHistory(session, kit, given);
    throw new UsageError(`'${what}' is not something that statek tools shows. Use stats or history.`);
  },
};

async function showStats(session: Session, kit: Statek, given: Given): Promise<void> {
  const { out } = session;
  const tool = given.optional('tool');
  const by = (given.optional('by') as StatsGroup | undefined) ?? 'tool';
  const filter: StatsFilter = { role: given.optional('role'), since: given.date('since') };
  const look = async (): Promise<{ total: ToolStats; stats: readonly ToolStats[] }> => ({
    total: await kit.tools.getToolStats(tool, filter),
    stats: await kit.tools.listToolStats({ ...filter, by, toolName: tool }),
  });
  await shown(session, kit, given.flag('watch'), [callLogRows], look, ({ total, stats }) => {
    if (out.isJson) {
      out.json({ total, stats });
      return;
    }
    if (total.totalExecutions === 0) {
      out.note('No calls found.');
      return;
    }
    const name = (one: ToolStats): string =>
      one === total
        ? 'all'
        : by === 'tool'
          ? (one.toolName ?? '')
          : by === 'role'
            ? (one.role ?? '')
            : (one.from?.toISOString().slice(0, by === 'day' ? 10 : 16) ?? '');
    out.table(stats.length > 1 ? [...stats, total] : stats, [
      { title: by.toUpperCase(), text: (one) => oneLine(name(one)), minWidth: 8 },
      { title: 'CALLS', text: (one) => String(one.totalExecutions), right: true },
      { title: 'OK', text: (one) => percent(one.successRate), right: true },
      { title: 'FAILED', text: (one) => percent(one.errorRate), right: true },
      { title: 'CACHED', text: (one) => percent(one.cacheHitRate), right: true },
      { title: 'MEAN', text: (one) => took(one.avgDurationMs), right: true },
      { title: 'P50', text: (one) => took(one.p50DurationMs), right: true },
      { title: 'P95', text: (one) => took(one.p95DurationMs), right: true },
      { title: 'P99', text: (one) => took(one.p99DurationMs), right: true },
    ]);
  });
}

async function showHistory(session: Session, kit: Statek, given: Given): Promise<void> {
  const { out } = session;
  const options = {
    toolName: given.optional('tool'),
    role: given.optional('role'),
    since: given.date('since'),
    limit: given.number('limit') ?? 50,
    cursor: given.optional('cursor'),
  };
  const look = () => kit.tools.getExecutionHistory(options);
  await shown(session, kit, given.flag('watch'), [callLogRows, indexRows], look, ({ executions, cursor }) => {
    if (out.isJson) {
      out.json({ executions, cursor });
      return;
    }
    if (executions.length === 0) {
      out.note('No calls found.');
      return;
    }
    out.table(executions, [
      { title: 'TOOL', text: ({ toolName }) => oneLine(toolName), minWidth: 8 },
      { title: 'STATUS', text: (one) => (one.cached ? `${one.status} (cached)` : one.status) },
      { title: 'ROLE', text: ({ role }) => oneLine(role), minWidth: 6 },
      { title: 'JOB', text: ({ jobId }) => (jobId === undefined ? '' : shownId(jobId, out)), minWidth: 8 },
      { title: 'STARTED', text: ({ startedAt }) => timeText(startedAt) },
      { title: 'TOOK', text: ({ durationMs }) => took(durationMs), right: true },
      { title: 'GIVEN', text: (one) => oneLine(contents(one)), minWidth: 10 },
    ]);
    if (cursor !== undefined) out.note(`More calls: add --cursor ${cursor}`);
  });
}

function contents({ parameters, error }: ToolExecution): string {
  const given = parameters === undefined ? '' : JSON.stringify(parameters);
  return error === undefined ? given : `${given} ${error}`;
}

function percent(part: number): string {
  return `${(part * 100).toFixed(part === 0 || part === 1 ? 0 : 1)}%`;
}

function took(milliseconds: number | undefined): string {
  return milliseconds === undefined ? '' : durationText(milliseconds);
}
