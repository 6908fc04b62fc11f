// A supervisor and its workers as real processes: they are killed, replaced and stopped, and none is left behind.
import { execFileSync } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Supervisor, type SupervisorEvent } from '../../src/cli/supervision/supervisor.ts';
import { postgresForTests } from '../support/postgres.ts';
import { expectProcesses, json, kill, printed, start, statek, temporaryFolder } from './support/statek.ts';

expectProcesses();

type Line = { readonly kind: string; readonly [name: string]: unknown };

/** A supervisor that prints JSON, and what it has printed so far. */
class Supervised {
  readonly child: ChildProcessWithoutNullStreams;
  readonly lines: Line[] = [];
  readonly ended: Promise<number | null>;
  #text = '';
  #look: () => void = () => undefined;

  constructor(words: readonly string[]) {
    this.child = start(['worker', '--json', ...words]);
    this.ended = new Promise((resolve) => this.child.once('close', resolve));
    this.child.stdout.on('data', (data: Buffer) => {
      this.#text += data.toString();
      const texts = this.#text.split('\n');
      this.#text = texts.pop() ?? '';
      this.lines.push(...texts.map((text) => JSON.parse(text) as Line));
      this.#look();
    });
    onTestFinished(async () => {
      await kill(this.child);
      for (const pid of this.pids()) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    });
  }

  /** Every process that it ever started. */
  pids(): number[] {
    return this.lines.filter(({ kind }) => kind === 'process.started').map(({ pid }) => pid as number);
  }

  working(): Line[] {
    return this.lines.filter(({ kind }) => kind === 'process.working');
  }

  async until(isSo: () => boolean): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#look = () => isSo() && resolve();
      void this.ended.then((code) => reject(new Error(`It ended with ${code}: ${JSON.stringify(this.lines)}`)));
      this.#look();
    });
    this.#look = () => undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function gone(pids: readonly number[]): Promise<void> {
  while (pids.some(isAlive)) await new Promise((resolve) => setTimeout(resolve, 20));
}

const server = await postgresForTests();

describe('a worker of several processes', () => {
  it.for(['SQLite', 'PostgreSQL'] as const)('goes on when one is killed, on %s', async (engine, { skip }) => {
    if (engine === 'PostgreSQL' && server === undefined) skip();
    const place = ['--store', join(temporaryFolder(), 'data')];
    let environment: Record<string, string> = { STATEK_TEST_CLI_LEASE: '1500' };
    if (engine === 'PostgreSQL' && server !== undefined) {
      const { schema, drop } = await server.freshSchema();
      onTestFinished(drop);
      place.length = 0;
      environment = { ...environment, STATEK_TEST_CLI_POSTGRES: server.url, STATEK_TEST_CLI_SCHEMA: schema };
    }
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
    const supervised = new Supervised(['--processes', '2', ...place]);
    await supervised.until(() => supervised.working().length === 2);
    for (const id of ['one', 'two', 'three']) await json(['run', '--role', 'counts', '--id', id, '--detach', ...place]);
    await supervised.until(() => supervised.lines.some(({ kind }) => kind === 'started'));
    const [first] = supervised.working();
    process.kill(first?.['pid'] as number, 'SIGKILL');
    const isDone = (id: string): boolean => supervised.lines.some(({ kind, job }) => kind === 'done' && job === id);
    await supervised.until(() => ['one', 'two', 'three'].every(isDone) && supervised.working().length === 3);
    expect(supervised.lines.find(({ kind }) => kind === 'process.ended')).toMatchObject({
      slot: first?.['slot'],
      signal: 'SIGKILL',
      restartMilliseconds: 200,
    });
    expect(supervised.working()[2]).toMatchObject({ slot: first?.['slot'] });
    // The supervisor alone prints events of jobs.
    expect(supervised.lines.filter(({ kind, job }) => kind === 'done' && job === 'one')).toHaveLength(1);
    supervised.child.kill('SIGTERM');
    expect(await supervised.ended).toBe(0);
    await gone(supervised.pids());
  });

  it('leaves no process behind when the supervisor is killed', async () => {
    const supervised = new Supervised(['--processes', '2', '--store', join(temporaryFolder(), 'data')]);
    await supervised.until(() => supervised.working().length === 2);
    await kill(supervised.child);
    await gone(supervised.pids());
    expect(supervised.pids()).toHaveLength(2);
  });

  it('leaves no process behind that is too busy to notice', async () => {
    const folder = temporaryFolder();
    const config = join(folder, 'statek.config.mjs');
    const mark = join(folder, 'stands-still');
    writeFileSync(
      config,
      `import { writeFileSync } from 'node:fs';
const next = () => {
  writeFileSync(${JSON.stringify(mark)}, '');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
};
export default { drivers: [{ role: 'stands-still', next }] };`,
    );
    const store = join(folder, 'data');
    const supervised = new Supervised(['--processes', '1', '--grace', '1ms', '--store', store, '--config', config]);
    await supervised.until(() => supervised.working().length === 1);
    await statek(['run', '--role', 'stands-still', '--id', 's', '--detach', '--store', store, '--config', config]);
    const [pid = 0] = supervised.pids();
    // From then on its thread does nothing else.
    await expect.poll(() => existsSync(mark)).toBe(true);
    await kill(supervised.child);
    await gone([pid]);
    expect(supervised.pids()).toEqual([pid]);
  });

  it('replaces its processes one by one on SIGHUP', async () => {
    const store = join(temporaryFolder(), 'data');
    const supervised = new Supervised(['--processes', '2', '--max-heap', '300', '--store', store]);
    await supervised.until(() => supervised.working().length === 2);
    const before = supervised.pids();
    expect(execFileSync('ps', ['-o', 'args=', '-p', String(before[0])], { encoding: 'utf8' })).toContain(
      '--max-old-space-size=300',
    );
    supervised.child.kill('SIGHUP');
    await supervised.until(() => supervised.lines.some(({ kind }) => kind === 'replaced'));
    await gone(before);
    const kinds = supervised.lines.map(({ kind }) => kind).filter((kind) => !kind.startsWith('work'));
    // Each ends only when the next one works.
    expect(kinds.slice(kinds.indexOf('replacing'))).toEqual([
      'replacing',
      ...['process.started', 'process.working', 'process.ended'],
      ...['process.started', 'process.working', 'process.ended'],
      'replaced',
    ]);
    expect(supervised.pids().slice(2).every(isAlive)).toBe(true);
    supervised.child.kill('SIGTERM');
    expect(await supervised.ended).toBe(0);
  });

  it('ends at once on a second SIGTERM, with processes that do not answer', async () => {
    const supervised = new Supervised(['--processes', '2', '--store', join(temporaryFolder(), 'data')]);
    await supervised.until(() => supervised.working().length === 2);
    const [pid = 0, other = 0] = supervised.pids();
    process.kill(pid, 'SIGSTOP');
    supervised.child.kill('SIGTERM');
    await gone([other]);
    supervised.child.kill('SIGTERM');
    expect(await supervised.ended).toBe(143);
    await gone([pid]);
  });

  it('works off the queue once with --until-idle', async () => {
    const store = join(temporaryFolder(), 'data');
    await json(['run', '--role', 'double', '--vars', '{"n":4}', '--id', 'd', '--detach', '--store', store]);
    const child = start(['worker', '--processes', '2', '--until-idle', '--store', store]);
    const ended = new Promise((resolve) => child.once('close', resolve));
    await printed(child, /Worker 2 exited with 0/);
    expect(await ended).toBe(0);
    expect(await json(['show', 'd', '--store', store])).toMatchObject({ outcome: 'completed', result: 8 });
  });
});

it('gives up a process that dies again and again, and stops the others', async () => {
  const program = join(temporaryFolder(), 'dies.mjs');
  writeFileSync(program, `if (process.argv[2] === 'dies') process.exit(7);`);
  const events: SupervisorEvent[] = [];
  const supervisor = new Supervisor({
    processes: 2,
    program,
    words: ['dies'],
    folder: temporaryFolder(),
    graceMilliseconds: 1000,
    endsWhenDone: false,
    minDelayMilliseconds: 1,
    onLine: () => undefined,
    onEvent: (event) => events.push(event),
  });
  expect(await supervisor.ended).toBe(7);
  const delays = events
    .filter((event) => event.kind === 'process.ended' && event.slot === 1)
    .map((event) => ('restartMilliseconds' in event ? event.restartMilliseconds : undefined));
  expect(delays.slice(0, 4)).toEqual([1, 2, 4, 8]);
});
