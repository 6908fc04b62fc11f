// A private Redis server in a temporary folder, for tests that stop, crash and restart it.
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createConnection, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

export interface PrivateRedis {
  readonly url: string;
  readonly port: number;
  readonly folder: string;
  start(): Promise<void>;
  /** `immediate` is a crash (kill -9): nothing is flushed. */
  stop(mode: 'fast' | 'immediate'): Promise<void>;
  /** Halts it where it is, as a machine that hangs; connections stay open. */
  freeze(): void;
  thaw(): void;
  /** Stops it and deletes its folder. */
  dispose(): Promise<void>;
  /** Like `dispose`, without waiting, for the exit of the process. */
  killNow(): void;
}

export interface PrivateRedisOptions {
  /** The parent folder (default: the folder for temporary files). */
  readonly inside?: string | undefined;
  /** Settings as in redis.conf, beside an append-only file that is synced before each answer. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** The server program: from PATH, Redis or Valkey. */
export function redisProgram(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return ['redis-server', 'valkey-server']
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find((path) => existsSync(path));
}

export async function privateRedis({ inside, settings = {} }: PrivateRedisOptions = {}): Promise<PrivateRedis> {
  const program = redisProgram();
  if (program === undefined) throw new Error('No redis-server found. Install Redis or Valkey.');
  const folder = mkdtempSync(join(inside ?? tmpdir(), 'statek-redis-'));
  const port = await freePort();
  const flags = Object.entries({
    port: String(port),
    bind: '127.0.0.1',
    dir: folder,
    save: '',
    appendonly: 'yes',
    appendfsync: 'always',
    logfile: join(folder, 'log'),
    ...settings,
  }).flatMap(([name, value]) => [`--${name}`, value]);
  let child: ChildProcess | undefined;
  const kill = async (signal: NodeJS.Signals): Promise<void> => {
    const running = child;
    child = undefined;
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return;
    // It was let go of, so that it keeps no test alive; this wait must not end early.
    running.ref();
    const ended = new Promise((resolve) => running.once('exit', resolve));
    running.kill(signal);
    await ended;
  };
  const server: PrivateRedis = {
    url: `redis://127.0.0.1:${port}`,
    port,
    folder,
    start: async () => {
      if (child !== undefined && child.exitCode === null && child.signalCode === null) return;
      child = spawn(program, flags, { stdio: 'ignore' });
      child.unref();
      const started = child;
      await answering(port, () => started.exitCode !== null || started.signalCode !== null);
    },
    stop: (mode) => kill(mode === 'fast' ? 'SIGTERM' : 'SIGKILL'),
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    dispose: async () => {
      await kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
    killNow: () => {
      child?.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
}

/** Resolves when the server has loaded its files and answers. */
async function answering(port: number, hasEnded: () => boolean): Promise<void> {
  for (let tries = 0; tries < 3000 && !hasEnded(); tries++) {
    if (await pongs(port)) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('The Redis server did not start.');
}

function pongs(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ port, host: '127.0.0.1' });
    const end = (result: boolean): void => {
      socket.destroy();
      resolve(result);
    };
    socket.once('error', () => end(false));
    socket.once('close', () => resolve(false));
    // A server that is loading, or wants a password, answers with an error; the latter counts.
    socket.once('data', (data) => end(/^(\+PONG|-NOAUTH)/.test(data.toString())));
    socket.write('PING\r\n');
  });
}

export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => {
    probe.listen(0, '127.0.0.1', resolve);
  });
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => {
    probe.close(resolve);
  });
  return port;
}
