// `statek worker`: works on jobs and workspaces until it is stopped.
import { exitCodes } from '../../line/exit-codes.ts';
import type { Command, Given } from '../../line/command.ts';
import { parseDuration } from '../../output/time.ts';
import { wholeNumber } from '../../line/parse.ts';
import type { Session } from '../../session.ts';
import { underSupervision } from '../../supervision/supervised.ts';
import { Supervisor } from '../../supervision/supervisor.ts';
import { supervisionText, workerWords } from '../../supervision/worker-processes.ts';
import { PrintedEvents } from '../../shown/print-events.ts';

export const worker: Command = {
  name: 'worker',
  group: 'Run',
  summary: 'work on the jobs of the application until ^C or SIGTERM',
  details: `Start as many as you like, on one machine with SQLite or on many with PostgreSQL or Redis: they share the queues and take over
from a worker that dies. Without an application, it works on workspaces only. On ^C or SIGTERM it lets running calls
finish and exits with 0; a second one ends it at once.

One process uses one core. With --processes it becomes a supervisor of as many workers: it starts those again that die,
first at once, then less and less often, and gives up with their exit code after eight deaths in a row. On SIGHUP it
replaces them one by one, each when the next one works. If the supervisor dies, its workers stop.`,
  options: [
    {
      flags: '--concurrency <number>',
      description: 'jobs at a time, in each process (default: 100)',
      parse: wholeNumber(1, 100_000),
    },
    {
      flags: '--processes <number>',
      description: 'worker processes under a supervisor (default: this process alone)',
      parse: wholeNumber(1, 1000),
    },
    {
      flags: '--max-heap <megabytes>',
      description: "the JavaScript heap of each process, with a supervisor (default: Node's)",
      parse: wholeNumber(64, 1_000_000),
    },
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
    ['worker --processes 4 --max-heap 2048', 'four processes with 2 GB of heap each'],
    ['worker --until-idle', 'work off the queue once, for example from cron'],
  ],
  async run(session, given) {
    const { out } = session;
    session.graceMilliseconds = given.number('grace') ?? 5000;
    if (given.has('processes') || given.has('maxHeap')) return supervise(session, given);
    const tellWorking = underSupervision(session);
    const { roles } = await session.application();
    const kit = await session.kit('work');
    if (out.isJson) out.jsonLine({ kind: 'working', pid: process.pid, roles });
    else
      out.note(
        `Working on ${roles.length === 0 ? 'workspaces only (no application found)' : roles.join(', ')} (process ${process.pid}).`,
      );
    const printed = given.flag('quiet') ? undefined : await PrintedEvents.start(kit, out);
    if (given.flag('untilIdle')) {
      tellWorking?.();
      try {
        await session.unlessInterrupted(kit.runUntilIdle());
      } finally {
        await printed?.end();
      }
      return;
    }
    const working = kit.start({ concurrency: given.number('concurrency'), maxCrashes: given.number('maxCrashes') });
    tellWorking?.();
    await session.unlessInterrupted(working.ended).catch(() => undefined);
    if (!out.isJson) out.note('Stopping.');
    await working.stop({ graceMilliseconds: session.graceMilliseconds });
    await printed?.end();
    // Throws if the worker stopped by itself.
    await working.ended;
    return exitCodes.ok;
  },
};

async function supervise(session: Session, given: Given): Promise<number> {
  const { out } = session;
  // A mistake in the configuration is reported once, before any process is started.
  const { roles } = await session.application();
  const kit = await session.kit('work');
  const processes = given.number('processes') ?? 1;
  const printed = given.flag('quiet') ? undefined : await PrintedEvents.start(kit, out);
  if (out.isJson) out.jsonLine({ kind: 'supervising', pid: process.pid, processes, roles });
  else
    out.note(`Supervising ${processes} worker ${processes === 1 ? 'process' : 'processes'} (process ${process.pid}).`);
  const supervisor = new Supervisor({
    processes,
    program: process.argv[1] ?? '',
    words: workerWords(session, {
      concurrency: given.number('concurrency'),
      maxCrashes: given.number('maxCrashes'),
      graceMilliseconds: given.number('grace'),
      untilIdle: given.flag('untilIdle'),
    }),
    folder: session.folder,
    maxHeapMegabytes: given.number('maxHeap'),
    graceMilliseconds: session.graceMilliseconds,
    endsWhenDone: given.flag('untilIdle'),
    onLine: (text) => out.line(text),
    onEvent: (event) => (out.isJson ? out.jsonLine(event) : out.note(supervisionText(event))),
  });
  const onHangUp = (): void => void (process.stdin.isTTY ? supervisor.stop() : supervisor.replaceAll());
  process.on('SIGHUP', onHangUp);
  const stop = (): void => {
    if (!out.isJson) out.note('Stopping.');
    void supervisor.stop();
  };
  if (session.signal.aborted) stop();
  else session.signal.addEventListener('abort', stop, { once: true });
  const code = await supervisor.ended;
  process.removeListener('SIGHUP', onHangUp);
  await printed?.end();
  return code;
}
