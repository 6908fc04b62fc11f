// `statek watch`: prints events of one or all jobs as they are committed.
import { jobRows } from '../../../jobs/rows.ts';
import type { JobStreamEvent } from '../../../jobs/journal/events.ts';
import type { Statek } from '../../../kit/statek.ts';
import type { Command } from '../../line/command.ts';
import { eventLine } from '../../shown/event-line.ts';
import { findJob } from '../../shown/identify.ts';
import { UsageError } from '../../line/errors.ts';
import { wholeNumber } from '../../line/parse.ts';
import { watchExpression } from '../time/watch-expression.ts';

export const watch: Command = {
  name: 'watch',
  group: 'Look',
  summary:
    'print events of one job until it ends, or of all jobs until ^C; with -e, the value of an expression over time',
  details: `Each event has a revision: --since REVISION continues after it, even in another process. By default, the events of one
job are shown from its start, those of all jobs from now on. With -e, an expression is evaluated on copies of the program at its
commits, at most --limit of them (default: 100), evenly between the first and the last.`,
  arguments: [{ syntax: '[job]', description: 'its id (default: all jobs)' }],
  options: [
    { flags: '-e, --expression <code>', description: 'print its value at the commits of the job or workspace' },
    { flags: '--from <number>', description: 'with -e, from this commit on', parse: wholeNumber(0, 2 ** 40) },
    { flags: '--to <number>', description: 'with -e, up to this commit', parse: wholeNumber(0, 2 ** 40) },
    {
      flags: '--since <revision>',
      description: 'only events after this revision; 0 for all events',
      parse: wholeNumber(0, Number.MAX_SAFE_INTEGER),
    },
    {
      flags: '-n, --limit <number>',
      description: 'exit after this many events',
      parse: wholeNumber(1, Number.MAX_SAFE_INTEGER),
    },
    { flags: '--keep-on', description: 'keep watching after the job ends, since it can be resumed' },
  ],
  examples: [
    ['watch 3f2a', 'one job until it ends'],
    ["watch main -e 'total'", 'how a variable changed from commit to commit'],
    ['watch --since 1042 --json', 'all events after revision 1042, one JSON document per line'],
  ],
  async run(session, given) {
    const { out, signal } = session;
    const kit = await session.kit('look');
    const expression = given.optional('expression');
    if (expression !== undefined) {
      await watchExpression(session, kit, given, expression);
      return;
    }
    if (given.has('from') || given.has('to')) throw new UsageError('--from and --to belong to -e.');
    const job = given.has('job') ? await findJob(kit, given.text('job')) : undefined;
    const since = given.number('since') ?? (job === undefined ? undefined : 0);
    const events = kit.events({ job: job?.id, since, signal })[Symbol.asyncIterator]();
    let left = given.number('limit') ?? Number.POSITIVE_INFINITY;
    let last: JobStreamEvent | undefined;
    try {
      for (;;) {
        const next = await session.unlessInterrupted(events.next());
        if (next.done === true) break;
        const { value } = next;
        last = value;
        if (out.isJson) out.jsonLine(value);
        else out.line(eventLine(out, value, job === undefined));
        if (--left <= 0) break;
        if (job !== undefined && !given.flag('keepOn') && value.kind === 'done' && (await isLast(kit, value))) break;
      }
    } finally {
      if (signal.aborted && last !== undefined)
        out.note(
          `To continue from here: statek watch${job === undefined ? '' : ` ${job.id}`} --since ${last.revision}`,
        );
    }
  },
};

/** Whether a `done` event is the latest one; a job may have ended before and been resumed. */
async function isLast({ store }: Statek, { job, number }: JobStreamEvent): Promise<boolean> {
  const [entry] = await store.read(jobRows, [[job]]);
  return entry === undefined || (entry.value.status === 'DONE' && entry.value.nextEvent <= number + 1);
}
