// `statek worker`: works on jobs and workspaces until it is stopped.
import { exitCodes } from '../../line/exit-codes.ts';
import type { Command } from '../../line/command.ts';
import { parseDuration } from '../../output/time.ts';
import { wholeNumber } from '../../line/parse.ts';
import type { Session } from '../../session.ts';
import { eventLine } from '../../shown/event-line.ts';

export const worker: Command = {
  name: 'worker',
  group: 'Run',
  summary: 'work on the jobs of the application until ^C or SIGTERM',
  details: `Start as many as you like, on one machine with SQLite or on many with PostgreSQL: they share the queues and take over
from a worker that dies. Without an application, it works on workspaces only. On ^C or SIGTERM it lets running calls
finish and exits with 0.`,
  options: [
    { flags: '--concurrency <number>', description: 'jobs at a time (default: 100)', parse: wholeNumber(1, 100_000) },
    {
      flags: '--max-crashes <number>',
      description: 'crashes in a row after which a job fails (default: 3)',
      parse: wholeNumber(1, 1000),
    },
    {
      flags: '--grace <time>',
      description: 'how long running calls may take to finish on shutdown (default: 5s)',
      parse: parseDuration,
    },
    { flags: '--until-idle', description: 'exit when there is nothing left to do' },
    { flags: '--quiet', description: 'do not print job events' },
  ],
  examples: [
    ['worker', 'work until ^C'],
    ['worker --until-idle', 'work off the queue once, for example from cron'],
  ],
  async run(session, given) {
    const { out } = session;
    const { roles } = await session.application();
    const kit = await session.kit('work');
    session.graceMilliseconds = given.number('grace') ?? 5000;
    if (out.isJson) out.jsonLine({ kind: 'working', pid: process.pid, roles });
    else
      out.note(
        `Working on ${roles.length === 0 ? 'workspaces only (no application found)' : roles.join(', ')} (process ${process.pid}).`,
      );
    const printing = given.flag('quiet') ? Promise.resolve() : printEvents(session);
    if (given.flag('untilIdle')) {
      await session.unlessInterrupted(kit.runUntilIdle());
      return;
    }
    const working = kit.start({ concurrency: given.number('concurrency'), maxCrashes: given.number('maxCrashes') });
    await session.unlessInterrupted(new Promise<never>(() => undefined)).catch(() => undefined);
    if (!out.isJson) out.note('Stopping.');
    await working.stop({ graceMilliseconds: session.graceMilliseconds });
    await printing;
    return exitCodes.ok;
  },
};

async function printEvents(session: Session): Promise<void> {
  const { out, signal } = session;
  const kit = await session.kit('work');
  try {
    for await (const event of kit.events({ signal })) {
      if (out.isJson) out.jsonLine(event);
      else if (event.kind !== 'slice') out.line(eventLine(out, event, true));
    }
  } catch {
    // The store is unreachable or closed; the worker itself reports that.
  }
}
