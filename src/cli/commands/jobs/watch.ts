// `statek watch`: events as they are committed, of one job or of all.
import { jobRows } from '../../../jobs/rows.ts';
import type { JobStreamEvent } from '../../../jobs/journal/events.ts';
import type { Statek } from '../../../kit/statek.ts';
import type { Command } from '../../line/command.ts';
import { eventLine } from '../../shown/event-line.ts';
import { findJob } from '../../shown/identify.ts';
import { wholeNumber } from '../../line/parse.ts';

export const watch: Command = {
  name: 'watch',
  group: 'Look',
  summary: 'events of one job until it is over, or of all jobs until ^C',
  details: `Each event has a revision: --since REVISION goes on after it, in another process or another day. A job is watched
from its beginning unless told, all jobs from now on.`,
  arguments: [{ syntax: '[job]', description: 'its id; all jobs unless told' }],
  options: [
    {
      flags: '--since <revision>',
      description: 'only what came after it; 0 for everything',
      parse: wholeNumber(0, Number.MAX_SAFE_INTEGER),
    },
    {
      flags: '-n, --limit <number>',
      description: 'end after so many events',
      parse: wholeNumber(1, Number.MAX_SAFE_INTEGER),
    },
    { flags: '--keep-on', description: 'go on after the job is over: it may be started again' },
  ],
  examples: [
    ['watch 3f2a', 'one job until it is over'],
    ['watch --since 1042 --json', 'everything after revision 1042, a JSON document per line'],
  ],
  async run(session, given) {
    const { out, signal } = session;
    const kit = await session.kit('look');
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
        out.note(`To go on after this: statek watch${job === undefined ? '' : ` ${job.id}`} --since ${last.revision}`);
    }
  },
};

/** A job may have ended before and gone on. */
async function isLast({ store }: Statek, { job, number }: JobStreamEvent): Promise<boolean> {
  const [entry] = await store.read(jobRows, [[job]]);
  return entry === undefined || (entry.value.status === 'DONE' && entry.value.nextEvent <= number + 1);
}
