// `statek worker`: works on jobs and workspaces until it is told to stop.
import { exitCodes } from '../../line/exit-codes.ts';
import type { Command } from '../../line/command.ts';
import { parseSpan } from '../../output/time.ts';
import { wholeNumber } from '../../line/parse.ts';
import type { Session } from '../../session.ts';
import { eventLine } from '../../shown/event-line.ts';

export const worker: Command = {
  name: 'worker',
  group: 'Run',
  summary: 'work on the jobs of the application until ^C or SIGTERM',
  details: `Start as many as you like, on one machine with SQLite or on many with PostgreSQL: they share the queues, and take
over from one that dies. Without an application it goes on with workspaces only. Stopped by ^C or SIGTERM it lets calls under way come to their end, and ends with 0.`,
  options: [
    { flags: '--concurrency <number>', description: 'jobs at once; 100 unless told', parse: wholeNumber(1, 100_000) },
    {
      flags: '--max-crashes <number>',
      description: 'how often processes may die of one job; 3 unless told',
      parse: wholeNumber(1, 1000),
    },
    {
      flags: '--grace <time>',
      description: 'how long calls under way may take when it stops; 5s unless told',
      parse: parseSpan,
    },
    { flags: '--until-idle', description: 'do what can be done now, and end' },
    { flags: '--quiet', description: 'do not print what happens to jobs' },
  ],
  examples: [
    ['worker', 'work until ^C'],
    ['worker --until-idle', 'do what there is to do, for a scheduler'],
  ],
  async run(session, given) {
    const { out } = session;
    const { roles } = await session.application();
    const kit = await session.kit('work');
    session.graceMilliseconds = given.number('grace') ?? 5000;
    if (out.isJson) out.jsonLine({ kind: 'working', pid: process.pid, roles });
    else
      out.note(
        `Working on ${roles.length === 0 ? 'workspaces only: there is no application here' : roles.join(', ')} (process ${process.pid}).`,
      );
    const told = given.flag('quiet') ? Promise.resolve() : tell(session);
    if (given.flag('untilIdle')) {
      await session.unlessInterrupted(kit.runUntilIdle());
      return;
    }
    const working = kit.start({ concurrency: given.number('concurrency'), maxCrashes: given.number('maxCrashes') });
    await session.unlessInterrupted(new Promise<never>(() => undefined)).catch(() => undefined);
    if (!out.isJson) out.note('Stopping.');
    await working.stop({ graceMilliseconds: session.graceMilliseconds });
    await told;
    return exitCodes.ok;
  },
};

async function tell(session: Session): Promise<void> {
  const { out, signal } = session;
  const kit = await session.kit('work');
  try {
    for await (const event of kit.events({ signal })) {
      if (out.isJson) out.jsonLine(event);
      else if (event.kind !== 'slice') out.line(eventLine(out, event, true));
    }
  } catch {
    // The store is out of reach or closed; the worker itself tells what matters.
  }
}
