// Small durable changes side by side: a field of an object, a small store commit, and a hand-written row update.
// Interleaved, so that all see the same disk conditions.
import type { Statek, Store } from '../../src/index.ts';
import { recordCollection } from '../../src/store.ts';
import { milliseconds, percentile } from '../support/measurement.ts';
import type { HandRows } from './hand-rows.ts';
import { personOf, scattered, type Person } from './people.ts';

const rawRows = recordCollection<unknown>('bench_raw');

export interface Percentiles {
  readonly p50: number;
  readonly p99: number;
}

export interface CommitFigures {
  readonly field: Percentiles;
  readonly raw: Percentiles;
  readonly hand: Percentiles;
}

export async function measureCommits(
  kit: Statek,
  store: Store,
  hand: HandRows,
  people: readonly Person[],
  rounds: number,
): Promise<CommitFigures> {
  await store.declare(rawRows);
  const samples = { field: [] as number[], raw: [] as number[], hand: [] as number[] };
  for (const [round, chosen] of scattered(rounds, people.length).entries()) {
    const person = people[chosen] as Person;
    const value = { class: 'Person', version: 1, fields: { ...personOf(chosen), score: -1 - round } };
    const writes = [{ kind: 'put', collection: rawRows, key: ['main', `${chosen}`], value }] as const;
    const kinds = {
      field: () => kit.transaction(() => (person.score = -1 - round)),
      raw: () => store.commit([{ writes }]),
      hand: () => hand.setScore(chosen, -1 - round),
    };
    const order = Object.keys(kinds) as (keyof typeof kinds)[];
    // Rotates the order.
    for (let turn = 0; turn < order.length; turn++) {
      const kind = order[(round + turn) % order.length] as keyof typeof kinds;
      samples[kind].push(await milliseconds(kinds[kind]));
    }
  }
  return { field: percentiles(samples.field), raw: percentiles(samples.raw), hand: percentiles(samples.hand) };
}

export interface ElementFigures {
  readonly time: Percentiles;
  readonly hand: Percentiles;
  /** Rows and bytes of values that a change writes. */
  readonly rows: number;
  readonly bytes: number;
}

/** One element of a large list, or one entry of a large map, changed and committed. */
export async function measureElements(
  kit: Statek,
  written: Written,
  rounds: number,
  change: (round: number) => void,
  byHand: (round: number) => void,
): Promise<ElementFigures> {
  const time: number[] = [];
  const hand: number[] = [];
  await kit.transaction(() => change(-1));
  written.reset();
  for (let round = 0; round < rounds; round++) {
    time.push(await milliseconds(() => kit.transaction(() => change(round))));
    hand.push(await milliseconds(() => byHand(round)));
  }
  return {
    time: percentiles(time),
    hand: percentiles(hand),
    rows: written.rows / rounds,
    bytes: written.bytes / rounds,
  };
}

/** Counts what goes to a store. */
export class Written {
  rows = 0;
  bytes = 0;

  /** Wraps a store and counts its commits. */
  over(store: Store): Store {
    return new Proxy(store, {
      get: (target, name) => {
        if (name === 'commit')
          return (...[transactions]: Parameters<Store['commit']>) => {
            for (const { writes = [] } of transactions)
              for (const write of writes) {
                this.rows++;
                if (write.kind === 'put') this.bytes += JSON.stringify(write.value).length;
              }
            return target.commit(transactions);
          };
        const member: unknown = Reflect.get(target, name, target);
        return typeof member === 'function' ? (member.bind(target) as unknown) : member;
      },
    });
  }

  reset(): void {
    this.rows = 0;
    this.bytes = 0;
  }
}

export function percentiles(samples: readonly number[]): Percentiles {
  return { p50: percentile(samples, 0.5), p99: percentile(samples, 0.99) };
}
