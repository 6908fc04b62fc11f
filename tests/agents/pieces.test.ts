// Pieces of replies are heard in every process that has the store open: in order, none twice, and taken back when another
// process begins the reply anew. Models talk until they were heard, so nothing depends on how fast anything is.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openStore, Statek, type Job, type Store } from '../../src/index.ts';
import { openStoreAt } from '../chaos/place.ts';
import { postgresForTests } from '../support/postgres.ts';
import { talker, talkingModels } from './support/talking.ts';

const timeout = 120_000;

async function placeOn(engine: string): Promise<string | undefined> {
  if (engine === 'sqlite') {
    const folder = mkdtempSync(join(tmpdir(), 'statek-pieces-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    return folder;
  }
  const postgres = await postgresForTests();
  if (postgres === undefined) return undefined;
  const { schema, drop } = await postgres.freshSchema();
  onTestFinished(drop);
  return `${postgres.url}#${schema}`;
}

async function kitOn(store: Store, isEnough: () => boolean = () => true): Promise<Statek> {
  const kit = await Statek.open({ store, agents: [talker()], models: talkingModels(isEnough) });
  onTestFinished(() => kit.close({ graceMilliseconds: 0 }));
  return kit;
}

async function opened(place: string): Promise<Store> {
  const store = await openStoreAt(place);
  onTestFinished(() => store.close());
  return store;
}

async function workingChild(place: string): Promise<ChildProcess> {
  const child = fork(join(import.meta.dirname, 'support/talking-child.ts'), [place], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  return child;
}

interface Heard {
  /** Replies as far as they were heard; a restart begins another one. */
  readonly runs: string[][];
  readonly turns: Set<number>;
  readonly restarts: string[];
  /** Resolves when a run has so many pieces. */
  has(run: number, pieces: number): Promise<void>;
}

function hearing(job: Job): Heard {
  const runs: string[][] = [[]];
  const turns = new Set<number>();
  const restarts: string[] = [];
  let wake = (): void => undefined;
  job.onDelta((delta, { turn }) => {
    turns.add(turn);
    if (delta.type === 'restart') {
      restarts.push(delta.reason);
      runs.push([]);
    } else if (delta.type === 'text') runs.at(-1)?.push(delta.text);
    wake();
  });
  return {
    runs,
    turns,
    restarts,
    async has(run, pieces) {
      while ((runs[run]?.length ?? 0) < pieces) await new Promise<void>((resolve) => (wake = resolve));
    },
  };
}

function expectConsecutive(run: readonly string[] = []): void {
  const first = Number(run[0]);
  expect(run).toEqual(run.map((_, index) => `${first + index} `));
}

it.each(['sqlite', 'postgres'])(
  'are heard in another process, in order and once, on %s',
  { timeout },
  async (engine) => {
    const place = await placeOn(engine);
    if (place === undefined) return;
    const kit = await kitOn(await opened(place));
    const job = await kit.submit('talker', { message: 'Talk.' });
    const heard = hearing(job);
    const child = await workingChild(place);
    await heard.has(0, 20);
    child.send('enough');
    const result = (await job.result()) as string;
    expectConsecutive(heard.runs[0]);
    expect(heard.restarts).toEqual([]);
    expect([...heard.turns]).toEqual([1]);
    expect(result).toContain(heard.runs[0]?.join(''));
    // Nothing of it is stored but the reply itself.
    expect((await job.chat()).filter(({ kind }) => kind === 'reply')).toHaveLength(1);
  },
);

it.each(['sqlite', 'postgres'])(
  'are taken back when another process takes the job over, on %s',
  { timeout },
  async (engine) => {
    const place = await placeOn(engine);
    if (place === undefined) return;
    const kit = await kitOn(await opened(place));
    const job = await kit.submit('talker', { message: 'Talk.' });
    const heard = hearing(job);
    const killed = await workingChild(place);
    await heard.has(0, 5);
    killed.kill('SIGKILL');
    const child = await workingChild(place);
    await heard.has(1, 5);
    child.send('enough');
    expect(await job.result()).toContain(heard.runs[1]?.join(''));
    expect(heard.restarts).toEqual(['JOB_TAKEN_OVER']);
    for (const run of heard.runs) expectConsecutive(run);
  },
);

it('are heard once by everyone in one process, whoever runs the job', { timeout }, async () => {
  const location = 'memory:pieces for everyone';
  const [store, apart] = [await openStore(location), await openStore(location)];
  onTestFinished(async () => {
    await store.close();
    await apart.close();
  });
  let isEnough = false;
  const working = await kitOn(store, () => isEnough);
  const beside = await kitOn(store);
  const other = await kitOn(apart);
  const job = await working.submit('talker', { message: 'Talk.' });
  const all = [job, await beside.job(job.id), await other.job(job.id)].map(hearing);
  working.start();
  await Promise.all(all.map((heard) => heard.has(0, 10)));
  isEnough = true;
  const result = await job.result();
  for (const { runs, restarts } of all) {
    expect(runs.map((run) => run.join(''))).toEqual([result]);
    expect(restarts).toEqual([]);
  }
});

it('are not told after one was lost, until the reply begins anew', async () => {
  const store = await openStore('memory:');
  onTestFinished(() => store.close());
  const kit = await kitOn(store);
  const job = await kit.submit('talker', { message: 'Talk.' });
  const heard = hearing(job);
  const send = (reply: number, number: number, delta?: object, from = 'elsewhere'): void =>
    store.volatile?.publish(`replies of ${job.id}`, JSON.stringify({ kit: from, reply, turn: 1, number, delta }));
  const text = (value: string): object => ({ type: 'text', text: value });
  send(0, 0);
  send(0, 1, text('a'));
  send(0, 1, text('again'));
  send(0, 3, text('after a gap'));
  send(0, 4, text('still'));
  expect(heard.runs).toEqual([['a']]);
  send(0, 6, { type: 'restart', reason: 'MODEL_NETWORK' });
  send(0, 7, text('b'));
  expect(heard.runs).toEqual([['a'], ['b']]);
  // Another process has the job now; the first one does not know it yet.
  send(0, 0, undefined, 'third');
  send(0, 8, text('too late'));
  send(0, 1, text('c'), 'third');
  expect(heard.runs).toEqual([['a'], ['b'], ['c']]);
  expect(heard.restarts).toEqual(['MODEL_NETWORK', 'JOB_TAKEN_OVER']);
  for (const message of [
    '',
    'no JSON',
    'null',
    '[]',
    '{"kit":"third","reply":0,"turn":1,"number":2,"delta":{"type":"text"}}',
  ])
    store.volatile?.publish(`replies of ${job.id}`, message);
  send(0, 2, text('d'), 'third');
  expect(heard.runs.at(-1)).toEqual(['c', 'd']);
});
