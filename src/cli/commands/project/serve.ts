// `statek serve`: the HTTP API of the application and the inspector, with workers.
import { availableParallelism } from 'node:os';
import type { Worker } from '../../../jobs/work/worker.ts';
import type { Statek } from '../../../kit/statek.ts';
import type { AccessLogEntry } from '../../../server/http/options.ts';
import type { Command, Given } from '../../line/command.ts';
import { listenAt } from './listen.ts';
import { UsageError } from '../../line/errors.ts';
import { wholeNumber } from '../../line/parse.ts';
import { Supervisor } from '../../supervision/supervisor.ts';
import { supervisionText, workerWords } from '../../supervision/worker-processes.ts';
import type { Session } from '../../session.ts';

export const serve: Command = {
  name: 'serve',
  group: 'Run',
  summary: 'serve the HTTP API and the inspector, and work on jobs',
  details: `It listens on 127.0.0.1 and prints a link with a token that is valid until it ends. To choose the token, or to listen
elsewhere, set STATEK_SERVER_TOKEN in the environment or in .env. It answers requests to localhost and to the names in
STATEK_SERVER_HOSTS. The API is described at /v1/openapi.json. --no-worker leaves the work to other processes.

With PostgreSQL, worker processes do the work, one for each core but one; with other stores this process does. --processes
says how many, 0 for this one.`,
  options: [
    {
      flags: '--port <number>',
      description: 'the port (default: 4320); 0 picks a free one',
      parse: wholeNumber(0, 65_535),
    },
    { flags: '--host <name>', description: 'the address to listen on (default: 127.0.0.1)' },
    { flags: '--read-only', description: 'clients cannot change anything' },
    { flags: '--no-inspector', description: 'serve the API alone, without the page at /' },
    { flags: '--no-worker', description: 'do not work on jobs' },
    {
      flags: '--processes <number>',
      description: 'worker processes beside this one; 0: this one works (default: by the store)',
      parse: wholeNumber(0, 1000),
    },
    { flags: '--access-log', description: 'print each request on standard error, as one line of JSON' },
  ],
  examples: [
    ['serve', 'on http://127.0.0.1:4320/'],
    ['serve --port 8080 --read-only --no-worker', 'to look at the jobs of other processes'],
    ['serve --processes 4 --access-log', 'with four worker processes, and a line for each request'],
  ],
  async run(session, given) {
    const { out } = session;
    if (!given.flag('worker') && given.has('processes'))
      throw new UsageError('--processes and --no-worker contradict each other.');
    const kit = await session.kit('work');
    const [{ server }, { namesIn }] = await Promise.all([
      import('../../../server/http/server.ts'),
      import('../../../server/http/options.ts'),
    ]);
    // Those of .env too, which are not in the environment of the process.
    const { environment } = (await session.application()).settings;
    const served = server(kit, {
      token: environment['STATEK_SERVER_TOKEN'],
      hosts: namesIn(environment['STATEK_SERVER_HOSTS'] ?? ''),
      readOnly: given.flag('readOnly'),
      inspector: given.flag('inspector'),
      ...(given.flag('accessLog') ? { log: (entry: AccessLogEntry) => out.note(JSON.stringify(logged(entry))) } : {}),
    });
    const where = { port: given.number('port') ?? 4320, host: given.optional('host') };
    const listening = await listenAt(where, () => served.listen(where));
    const { url, token } = listening;
    if (out.isJson) out.jsonLine({ kind: 'serving', url, ...(token === undefined ? {} : { token }) });
    else {
      out.line(`Serving ${url}`);
      if (token !== undefined) out.line(`Token:  ${token}`);
      if (given.flag('inspector')) out.line(`Page:   ${url}${token === undefined ? '' : `#token=${token}`}`);
      out.note(`The API is at ${url}v1/ and described at ${url}v1/openapi.json. Stop with ^C.`);
    }
    const workers = startWorkers(session, given, kit);
    await session.unlessInterrupted(workers.ended).catch(() => undefined);
    await listening.close();
    await workers.stop();
    // Workers that could not work have ended by themselves.
    return session.signal.aborted ? undefined : workers.ended;
  },
};

interface Workers {
  /** Resolves to an exit code if they ended by themselves. */
  readonly ended: Promise<number>;
  stop(): Promise<void>;
}

function startWorkers(session: Session, given: Given, kit: Statek): Workers {
  const forever = new Promise<never>(() => undefined);
  const processes = given.number('processes') ?? defaultProcesses(kit);
  if (!given.flag('worker')) return { ended: forever, stop: () => Promise.resolve() };
  const { graceMilliseconds } = session;
  if (processes === 0) {
    const worker: Worker = kit.start();
    return { ended: forever, stop: () => worker.stop({ graceMilliseconds }) };
  }
  const { out } = session;
  const supervisor = new Supervisor({
    processes,
    program: process.argv[1] ?? '',
    words: workerWords(session),
    folder: session.folder,
    graceMilliseconds,
    endsWhenDone: false,
    // What workers say on standard output is for a supervisor alone.
    onLine: () => undefined,
    onEvent: (event) => (out.isJson ? out.jsonLine(event) : out.note(supervisionText(event))),
  });
  return { ended: supervisor.ended, stop: () => supervisor.stop() };
}

/** One process serves and works on SQLite as fast as several; a PostgreSQL server has room for more. */
function defaultProcesses({ store }: Statek): number {
  return store.features.engine === 'postgres' ? Math.max(1, availableParallelism() - 1) : 0;
}

function logged({ time, requestId, caller, method, route, status, milliseconds, error }: AccessLogEntry): unknown {
  return {
    time: time.toISOString(),
    requestId,
    caller,
    method,
    route,
    status,
    milliseconds: Math.round(milliseconds * 100) / 100,
    ...(error === undefined ? {} : { error: (error as Error).message }),
  };
}
