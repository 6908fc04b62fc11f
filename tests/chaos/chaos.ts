// A chaos run: several worker processes, many jobs, and somebody who kills, stops and restarts everything at random. In
// the end every job must have come to its right end, and every effect must be accounted for.
import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { Statek, type Job } from '../../src/index.ts';
import { openStoreAt } from './place.ts';
import { CountingServer } from './server.ts';
import { drivers, effects, type Effects } from './world.ts';

export interface ChaosOptions {
  readonly place: string;
  readonly jobs: number;
  readonly workers: number;
  /** From 0 to 1. */
  random(): number;
  /** Milliseconds between two blows. */
  readonly pause: number;
  readonly leaseMilliseconds: number;
  /** Restarts the server of the store, if that can be done. */
  restartStore?(): Promise<void>;
  progress?(text: string): void;
}

export interface ChaosReport {
  readonly jobs: number;
  readonly kills: number;
  readonly stops: number;
  readonly restarts: number;
  readonly unknown: number;
  readonly problems: readonly string[];
  readonly seconds: number;
}

/** Much longer than a lease: if no job has ended for so long, work stands still. */
const quietMilliseconds = 90_000;
/** From then on nobody is struck until a job ends: on a busy machine, workers may be killed before any of them comes to an end. */
const mercyMilliseconds = quietMilliseconds / 3;

export async function chaos(options: ChaosOptions): Promise<ChaosReport> {
  const started = performance.now();
  const server = new CountingServer();
  const url = await server.start();
  const services = effects(url);
  const kit = await Statek.open({ store: await openStoreAt(options.place), drivers: drivers(services), services });
  const blows = { kills: 0, stops: 0, restarts: 0 };
  let isOver = false;
  let lastEnd = performance.now();
  const fleet = new Fleet(options, url);
  try {
    const ids = await submit(kit, services, options);
    fleet.start();
    await Promise.all([
      decideAndSignal(kit, () => isOver),
      strike(options, fleet, server, blows, {
        isOver: () => isOver,
        hasMercy: () => performance.now() - lastEnd > mercyMilliseconds,
      }),
      allDone(kit, options, ids, () => {
        lastEnd = performance.now();
      }).finally(() => {
        isOver = true;
      }),
    ]);
    await fleet.stop();
    const { problems, unknown } = await check(kit, server, ids);
    return {
      jobs: options.jobs,
      ...blows,
      unknown,
      problems,
      seconds: Math.round((performance.now() - started) / 1000),
    };
  } finally {
    isOver = true;
    await fleet.stop();
    await kit.close({ graceMilliseconds: 0 });
    await kit.store.close();
    await server.stop();
  }
}

async function submit(kit: Statek, { charge, mail }: Effects, { jobs, random }: ChaosOptions): Promise<string[]> {
  const ids = Array.from({ length: jobs }, (_, index) => (index % 3 === 2 ? `step ${index}` : `order ${index}`));
  for (let from = 0; from < ids.length; from += 100) {
    const some = ids.slice(from, from + 100);
    const priority = (): number => Math.floor(random() * 3) - 1;
    await kit.submitAll(
      'order',
      some
        .filter((id) => id.startsWith('order'))
        .map((id) => ({
          id,
          priority: priority(),
          vars: { order: id, pause: Math.floor(random() * 200), charge, mail },
        })),
    );
    await kit.submitAll(
      'stepper',
      some.filter((id) => id.startsWith('step')).map((id) => ({ id, input: id, priority: priority() })),
    );
  }
  return ids;
}

/** Agrees to what is asked, and sends each order its signal, from a process that is not a worker. */
async function decideAndSignal(kit: Statek, isOver: () => boolean): Promise<void> {
  const decided = new Set<string>();
  while (!isOver()) {
    const pending = await again(async () => {
      const found: { id: string; job: string }[] = [];
      for await (const { id, job } of kit.pending({ kind: 'approve' })) found.push({ id, job });
      return found;
    });
    for (const { id, job } of pending) {
      if (decided.has(id) || isOver()) continue;
      decided.add(id);
      await again(() =>
        kit.approve(id, { by: 'chaos' }).catch((error: unknown) => {
          if ((error as { code?: string }).code !== 'WORKSPACE_STATE') throw error;
        }),
      );
      await again(() => kit.signal(`go ${job}`, `said to ${job}`));
    }
    await pause(50);
  }
}

/** A call that may have happened or not when the store was away is made again; here that does no harm. */
async function again<Result>(action: () => Promise<Result>): Promise<Result> {
  for (let tries = 0; ; tries++) {
    try {
      return await action();
    } catch (error) {
      const { code } = error as { code?: string };
      if (tries > 200 || code === undefined || !code.startsWith('STORE_')) throw error;
      await pause(100);
    }
  }
}

async function strike(
  options: ChaosOptions,
  fleet: Fleet,
  server: CountingServer,
  blows: { kills: number; stops: number; restarts: number },
  { isOver, hasMercy }: { readonly isOver: () => boolean; readonly hasMercy: () => boolean },
): Promise<void> {
  const { random } = options;
  while (!isOver()) {
    await pause(options.pause * (0.5 + random()));
    if (isOver()) return;
    if (hasMercy()) continue;
    const choice = random();
    if (choice < 0.55) {
      if (fleet.kill(random)) blows.kills++;
    } else if (choice < 0.8) {
      if (fleet.freeze(random, options.leaseMilliseconds * (0.3 + random() * 1.5))) blows.stops++;
    } else if (choice < 0.95 || options.restartStore === undefined) {
      blows.restarts++;
      await server.stop();
      await pause(random() * 300);
      await server.start();
    } else {
      blows.restarts++;
      await options.restartStore();
    }
  }
}

async function allDone(
  kit: Statek,
  { progress }: ChaosOptions,
  ids: readonly string[],
  ended: () => void,
): Promise<void> {
  let left = ids.length;
  let lastChange = performance.now();
  for (;;) {
    const done = await again(() => kit.countJobs({ status: 'DONE' }));
    const all = await again(() => kit.countJobs());
    const now = all - done;
    if (now !== left) {
      lastChange = performance.now();
      ended();
    }
    left = now;
    progress?.(`${done} of ${all} jobs are done`);
    if (left === 0) return;
    if (performance.now() - lastChange > quietMilliseconds) {
      const stuck = (await kit.jobs({ limit: 10_000, order: 'oldest' }))
        .filter(({ status }) => status !== 'DONE')
        .slice(0, 5);
      throw new Error(
        `No job has ended for ${quietMilliseconds / 1000} s; ${left} are left, such as ${describe(stuck)}.`,
      );
    }
    await pause(300);
  }
}

function describe(jobs: readonly Job[]): string {
  return jobs.map(({ id, status }) => `${id} (${status})`).join(', ');
}

/** What must be true in the end. */
async function check(
  kit: Statek,
  server: CountingServer,
  ids: readonly string[],
): Promise<{ problems: string[]; unknown: number }> {
  const problems: string[] = [];
  let unknown = 0;
  const expectCharges = new Set<string>();
  const told = (id: string, what: string): void => void problems.push(`${id}: ${what}`);
  for (const id of ids) {
    const job = await kit.job(id);
    if (job.outcome !== 'completed') {
      told(id, `${job.outcome ?? job.status}: ${job.error?.message ?? ''}`);
      continue;
    }
    const result = await job.result();
    const sent = id.startsWith('order') ? (result as { sent: string }).sent : (result as string[])[1];
    const mails = server.plain.get(id.startsWith('order') ? `${id} m` : `${id} mail 1`) ?? 0;
    if (mails > 1) told(id, `a call that must not be repeated was made ${mails} times`);
    if (sent === 'sent' && mails !== 1) told(id, `was told that it was sent, but it was not`);
    if (sent === 'unknown') unknown++;
    if (id.startsWith('order')) {
      const { kids, said, charged } = result as { kids: number[]; said: string; charged: number };
      if (JSON.stringify(kids) !== '[10,20]') told(id, `its children gave ${JSON.stringify(kids)}`);
      if (said !== `said to ${id}`) told(id, `heard ${said}`);
      if (charged !== 1) told(id, `has charged ${charged} times`);
      const children = await kit.jobs({ parent: id });
      if (children.length !== 2) told(id, `has ${children.length} children`);
      expectCharges.add(`${id}/2`);
      for (const child of children) expectCharges.add(`${child.id}/2`);
    } else {
      if (result?.toString() !== `charged,${sent ?? ''},charged,charged`) told(id, `ended with ${String(result)}`);
      for (const number of [1, 3, 4]) expectCharges.add(`${id}/call/${number}`);
    }
  }
  for (const key of expectCharges) if (!server.idempotent.has(key)) problems.push(`${key} was never charged`);
  for (const key of server.idempotent.keys())
    if (!expectCharges.has(key)) problems.push(`${key} was charged, and nobody asked for it`);
  return { problems: problems.slice(0, 50), unknown };
}

class Fleet {
  readonly #options: ChaosOptions;
  readonly #url: string;
  readonly #workers = new Map<number, ChildProcess>();
  /** Those that have begun to work. On a busy machine, nobody would ever come that far if they were killed before. */
  readonly #working = new Set<ChildProcess>();
  #stopped = false;

  constructor(options: ChaosOptions, url: string) {
    this.#options = options;
    this.#url = url;
  }

  start(): void {
    for (let index = 0; index < this.#options.workers; index++) this.#spawn(index);
  }

  kill(random: () => number): boolean {
    return this.#any(random)?.kill('SIGKILL') === true;
  }

  freeze(random: () => number, milliseconds: number): boolean {
    const worker = this.#any(random);
    if (worker?.kill('SIGSTOP') !== true) return false;
    setTimeout(() => worker.kill('SIGCONT'), milliseconds);
    return true;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(
      [...this.#workers.values()].map(async (worker) => {
        if (worker.exitCode !== null || worker.signalCode !== null) return;
        const ended = new Promise((resolve) => worker.once('exit', resolve));
        worker.kill('SIGKILL');
        await ended;
      }),
    );
  }

  #any(random: () => number): ChildProcess | undefined {
    const working = [...this.#workers.values()].filter((worker) => this.#working.has(worker));
    return working[Math.floor(random() * working.length)];
  }

  #spawn(index: number): void {
    const { place, leaseMilliseconds } = this.#options;
    const worker = fork(join(import.meta.dirname, 'worker-child.ts'), [place, this.#url, String(leaseMilliseconds)], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#workers.set(index, worker);
    worker.once('message', () => this.#working.add(worker));
    worker.once('exit', () => {
      this.#working.delete(worker);
      if (!this.#stopped) this.#spawn(index);
    });
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
