// Work goes on: programs that wait often and briefly come to their end on every store, also where answers of the store are
// so late that a job is ready again before the process that parked it knows that it is parked.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openStore, program, Statek, tool, type Store } from '../../src/index.ts';
import { openPostgres } from '../../src/postgres.ts';
import { Random } from '../crash/random.ts';
import { postgresForTests } from '../support/postgres.ts';
import { redisForTests } from '../support/redis.ts';

const rounds = 25;
const jobs = 4;

async function storeOf(kind: string): Promise<Store | undefined> {
  if (kind === 'memory') return openStore('memory:');
  if (kind === 'sqlite') {
    const folder = mkdtempSync(join(tmpdir(), 'statek-liveness-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    return openStore(folder);
  }
  if (kind === 'redis') {
    const prefix = (await redisForTests())?.freshPrefix();
    if (prefix === undefined) return undefined;
    onTestFinished(prefix.drop);
    return openStore(prefix.location);
  }
  const postgres = await postgresForTests();
  if (postgres === undefined) return undefined;
  const { schema, drop } = await postgres.freshSchema();
  onTestFinished(drop);
  return openPostgres(postgres.url, { schema });
}

/** Answers commits later than it makes them, by up to so many milliseconds. */
function late(store: Store, milliseconds: number): Store {
  const random = new Random(milliseconds);
  return new Proxy(store, {
    get(target, name) {
      const member = Reflect.get(target, name) as unknown;
      if (typeof member !== 'function') return member;
      if (name !== 'commit') return member.bind(target) as unknown;
      return async (...parameters: unknown[]): Promise<unknown> => {
        const result = await (Reflect.apply(member, target, parameters) as Promise<unknown>);
        await new Promise((resolve) => setTimeout(resolve, random.fraction() * milliseconds));
        return result;
      };
    },
  });
}

it.each([
  ['memory', 0],
  ['memory', 20],
  ['sqlite', 0],
  ['sqlite', 20],
  ['postgres', 0],
  ['postgres', 20],
  ['redis', 0],
  ['redis', 20],
])(
  'brings programs with many short waits to their end on %s, answers late by %i ms',
  async (kind, milliseconds) => {
    const store = await storeOf(kind);
    if (store === undefined) return;
    onTestFinished(() => store.close());
    const ping = tool({ name: 'ping', execute: async (number: number) => number });
    const waits = program({
      role: 'waits',
      source: `let sum = 0; for (let i = 0; i < ${rounds}; i++) { sum += await ping(i); await sleep(i % 3); } sum`,
    });
    const kit = await Statek.open({ store: late(store, milliseconds), drivers: [waits], services: { ping } });
    onTestFinished(() => kit.close({ graceMilliseconds: 0 }));
    kit.start();
    const submitted = await kit.submitAll(
      waits,
      Array.from({ length: jobs }, () => ({ vars: { ping } })),
    );
    const expected = (rounds * (rounds - 1)) / 2;
    expect(await Promise.all(submitted.map((job) => job.result()))).toEqual(submitted.map(() => expected));
  },
  60_000,
);
