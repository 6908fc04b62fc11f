// `statek jobs`: lists or counts jobs.
import type { Job } from '../../../agents/job.ts';
import type { JobFilter } from '../../../jobs/journal/listing.ts';
import { jobOutcomes, jobStatuses, type JobOutcome, type JobStatus } from '../../../jobs/states.ts';
import type { Command, Given } from '../../line/command.ts';
import { jobRecord, shownId, statusStyle, statusText, timeText } from '../../shown/describe.ts';
import { findJob } from '../../shown/identify.ts';
import { oneLine } from '../../output/style.ts';
import { parseTime } from '../../output/time.ts';
import { wholeNumber } from '../../line/parse.ts';
import type { Session } from '../../session.ts';

export const jobs: Command = {
  name: 'jobs',
  group: 'Look',
  summary: 'list jobs, newest first',
  options: [
    { flags: '-s, --status <status>', description: 'only with this status', choices: jobStatuses },
    { flags: '--outcome <outcome>', description: 'only with this outcome', choices: jobOutcomes },
    { flags: '-r, --role <role>', description: 'only of this role' },
    { flags: '--parent <job>', description: 'only children of this job' },
    { flags: '-l, --label <label>', description: 'only with this label' },
    { flags: '-w, --workspace <name>', description: 'only jobs that run in this workspace' },
    {
      flags: '--since <time>',
      description: 'created at or after: an ISO date, or how long ago (2h, 7d)',
      parse: (option, text) => parseTime(option, text),
    },
    {
      flags: '--before <time>',
      description: 'created before: like --since',
      parse: (option, text) => parseTime(option, text),
    },
    {
      flags: '-n, --limit <number>',
      description: 'maximum number of jobs (default: 50)',
      parse: wholeNumber(1, 10_000),
    },
    { flags: '--oldest', description: 'oldest first' },
    { flags: '--cursor <text>', description: 'continue after the page that ended with this cursor' },
    { flags: '--count', description: 'count jobs by status' },
  ],
  examples: [
    ['jobs --status SUSPENDED', 'jobs that wait for something'],
    ['jobs --role clerk --since 2h', 'jobs of one role from the last two hours'],
    ['jobs --outcome failed --json', 'for a script'],
    ['jobs --count', 'the number of jobs by status'],
  ],
  async run(session, given) {
    const { out } = session;
    const kit = await session.kit('look');
    const filter = await filterOf(session, given);
    if (given.flag('count')) return count(session, filter);
    const wanted = given.number('limit') ?? 50;
    const found: Job[] = [];
    let cursor = given.optional('cursor');
    do {
      const page = await kit.jobPage({
        ...filter,
        limit: wanted - found.length,
        cursor,
        order: given.flag('oldest') ? 'oldest' : 'newest',
      });
      found.push(...page.jobs);
      ({ cursor } = page);
      session.signal.throwIfAborted();
    } while (cursor !== undefined && found.length < wanted);
    if (out.isJson) {
      out.json({ jobs: found.map(jobRecord), cursor });
      return;
    }
    if (found.length === 0) {
      out.note('No jobs found.');
      return;
    }
    out.table(found, [
      { title: 'JOB', text: ({ id }) => shownId(id, out), minWidth: 8 },
      { title: 'ROLE', text: ({ role }) => oneLine(role), minWidth: 8 },
      { title: 'STATUS', text: statusText, style: statusStyle(out.style) },
      { title: 'CREATED', text: ({ created }) => timeText(created) },
      { title: 'UPDATED', text: ({ updated }) => timeText(updated) },
      { title: 'LABELS', text: ({ labels }) => oneLine(labels.join(', ')), minWidth: 6 },
      { title: 'ERROR', text: ({ error }) => (error === undefined ? '' : oneLine(error.message)), minWidth: 10 },
    ]);
    if (cursor !== undefined) out.note(`More jobs: add --cursor ${cursor}`);
  },
};

async function filterOf(session: Session, given: Given): Promise<JobFilter> {
  const parent = given.optional('parent');
  return {
    status: given.optional('status') as JobStatus | undefined,
    outcome: given.optional('outcome') as JobOutcome | undefined,
    role: given.optional('role'),
    label: given.optional('label'),
    workspace: given.optional('workspace'),
    since: given.date('since'),
    before: given.date('before'),
    ...(parent === undefined ? {} : { parent: (await findJob(await session.kit('look'), parent)).id }),
  };
}

async function count(session: Session, filter: JobFilter): Promise<void> {
  const { out } = session;
  const kit = await session.kit('look');
  const { status: only } = filter;
  const counts: { status: string; outcome: string | undefined; jobs: number }[] = [];
  for (const status of jobStatuses) {
    if (only !== undefined && only !== status) continue;
    const outcomes = status === 'DONE' ? (filter.outcome === undefined ? jobOutcomes : [filter.outcome]) : [undefined];
    if (status !== 'DONE' && filter.outcome !== undefined) continue;
    for (const outcome of outcomes)
      counts.push({ status, outcome, jobs: await kit.countJobs({ ...filter, status, outcome }) });
  }
  const total = counts.reduce((sum, one) => sum + one.jobs, 0);
  if (out.isJson) {
    out.json({ total, counts });
    return;
  }
  out.table(
    [...counts, { status: 'all', outcome: undefined, jobs: total }],
    [
      {
        title: 'STATUS',
        text: ({ status, outcome }) => [status, outcome].filter(Boolean).join(' '),
        style: statusStyle(out.style),
      },
      { title: 'JOBS', text: ({ jobs: number }) => String(number), right: true },
    ],
  );
}
