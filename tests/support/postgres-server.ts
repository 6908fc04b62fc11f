// A private PostgreSQL server in a temporary folder, for tests that stop, crash and restart it.
import { execFile, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface PrivateServer {
  readonly url: string;
  readonly port: number;
  readonly folder: string;
  start(): Promise<void>;
  /** `immediate` is a crash: nothing is flushed. */
  stop(mode: 'fast' | 'immediate'): Promise<void>;
  /** Stops it and deletes its folder. */
  dispose(): Promise<void>;
  /** Like `stop`, without waiting, for the exit of the process. */
  killNow(): void;
}

export interface PrivateServerOptions {
  /** The parent folder (default: the folder for temporary files). */
  readonly inside?: string | undefined;
  /** Settings as in postgresql.conf. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Called with the data folder before the first start, to put files there. As root, change their owner to `owner`. */
  readonly prepare?: (folder: string, owner: { uid: number; gid: number } | undefined) => void;
}

/** The folder of initdb and pg_ctl: from PATH, or the newest of Debian's. */
export function postgresBinaries(): string | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...(process.env['PATH'] ?? '').split(delimiter),
    ...versions.map((version) => join(debian, version, 'bin')),
  ];
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'pg_ctl')));
}

export async function privateServer({
  settings = {},
  prepare,
  inside,
}: PrivateServerOptions = {}): Promise<PrivateServer> {
  const binaries = postgresBinaries();
  if (binaries === undefined)
    throw new Error('No PostgreSQL binaries found. Install PostgreSQL, or set STATEK_TEST_POSTGRES.');
  // The server refuses to run as root, so root runs it as the user of Debian's package.
  const owner = process.getuid?.() === 0 ? postgresUser() : undefined;
  const command = (name: string, args: readonly string[]): [string, string[]] => {
    const program = join(binaries, name);
    if (owner === undefined) return [program, [...args]];
    return ['setpriv', [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups', program, ...args]];
  };
  const parent = mkdtempSync(join(inside ?? tmpdir(), 'statek-postgres-'));
  if (owner !== undefined) chownSync(parent, owner.uid, owner.gid);
  const folder = join(parent, 'data');
  const port = await freePort();
  const flags = Object.entries({ listen_addresses: '127.0.0.1', unix_socket_directories: parent, ...settings })
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
  const control = (...args: string[]): [string, string[]] =>
    command('pg_ctl', ['-D', folder, '-s', '-w', '-t', '60', ...args]);
  await run(...command('initdb', ['-D', folder, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--no-sync']), {
    cwd: parent,
    env: { ...process.env, LC_ALL: 'C' },
  });
  prepare?.(folder, owner);
  const stopArguments = (mode: string): [string, string[]] => control('-m', mode, 'stop');
  const server: PrivateServer = {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    port,
    folder,
    start: async () => {
      await run(...control('-l', join(parent, 'log'), '-o', `-p ${port} ${flags}`, 'start'), { cwd: parent });
    },
    stop: async (mode) => {
      await run(...stopArguments(mode), { cwd: parent });
    },
    dispose: async () => {
      await run(...stopArguments('immediate'), { cwd: parent }).catch(() => undefined);
      rmSync(parent, { recursive: true, force: true });
    },
    killNow: () => {
      spawnSync(...stopArguments('immediate'), { cwd: parent });
      rmSync(parent, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
}

function postgresUser(): { uid: number; gid: number } {
  const numberOf = (flag: string): number => Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout);
  return { uid: numberOf('-u'), gid: numberOf('-g') };
}

async function freePort(): Promise<number> {
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
