// Measures the history: what a small step costs and takes, how long it takes to get back to any commit of a long chain,
// and what large images cost.
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openHistory } from '../../src/history/open.ts';
import { pageBytes } from '../../src/history/limits.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { percentile, progress, round, type Measurement } from '../support/measurement.ts';
import { BenchChain } from './chain.ts';
import { quickJsHeap, syntheticHeap, type Heap } from './heap.ts';

export async function measure(quick: boolean): Promise<readonly Measurement[]> {
  const scale = quick ? 0.1 : 1;
  const results: Measurement[] = [];
  progress('small steps');
  results.push(...(await inFolder((store, reopen) => measureSteps(store, reopen))));
  progress('a long chain');
  results.push(...(await inFolder((store) => measureLongChain(store, scale))));
  for (const megabytes of [1, 16, 64]) {
    progress(`an image of ${megabytes} MB`);
    results.push(...(await inFolder((store) => measureLarge(store, megabytes))));
  }
  progress('');
  return results;
}

async function smallHeap(): Promise<Heap> {
  return (await quickJsHeap()) ?? syntheticHeap(1.3);
}

async function measureSteps(store: Store, reopen: Reopen): Promise<Measurement[]> {
  const count = 200;
  const heap = await smallHeap();
  // Twice: the first time warms up the compiler and makes the file, the second is measured.
  await new BenchChain(store, await openHistory(store), heap, 'warm-up').run(count);
  const first = await reopen();
  const chain = new BenchChain(first.store, await openHistory(first.store), heap, 'steps');
  await chain.run(count);
  const growth = ((await reopen()).bytes - first.bytes) / count;
  const stored = mean(chain.stored);
  return [
    { figure: 'heap', value: heap.kind, unit: '', what: 'heap measured with' },
    {
      figure: 'changedPages',
      value: round(mean(chain.changed.map(({ pages }) => pages))),
      unit: '',
      what: 'pages changed per step',
    },
    {
      figure: 'changedBytes',
      value: round(mean(chain.changed.map(({ bytes }) => bytes))),
      unit: 'B',
      what: 'bytes changed per step',
    },
    {
      figure: 'storedBytesPerStep',
      value: round(stored),
      unit: 'B',
      what: `pack bytes per step, mean of ${count}, larger packs included`,
      goal: { text: '≤ 2 KB', met: stored <= 2048 },
    },
    {
      figure: 'storedBytesP50',
      value: round(percentile(chain.stored, 0.5)),
      unit: 'B',
      what: 'pack bytes of a step, p50',
    },
    {
      figure: 'fileBytesPerStep',
      value: round(growth),
      unit: 'B',
      what: 'growth of the sqlite file per step: packs, records, indexes and the change log',
      goal: { text: '≤ 4 KB', met: growth <= 4096 },
    },
    {
      figure: 'prepareP50Us',
      value: round(percentile(chain.prepares, 0.5)),
      unit: 'µs',
      what: 'prepare a step: compare, encode, hash, p50',
    },
    { figure: 'prepareP99Us', value: round(percentile(chain.prepares, 0.99)), unit: 'µs', what: 'prepare a step, p99' },
  ];
}

async function measureLongChain(store: Store, scale: number): Promise<Measurement[]> {
  const long = 5000 * scale;
  const total = 10_000 * scale;
  const history = await openHistory(store, { cacheBytes: 0 });
  const heap = await smallHeap();
  const chain = new BenchChain(store, history, heap, 'long');
  await chain.run(total);
  const warm = new Restores(store, chain.hashes, true);
  const cold = new Restores(store, chain.hashes, false);
  for (const places of [warm, cold]) {
    await places.measure([50, 100], 1);
    await places.measure([16, 50, long, total - 16], 8);
  }
  const rows = (name: string, what: string, places: Restores): Measurement[] => {
    const ratio = places.at(long) / places.at(50);
    return [
      { figure: `${name}50Ms`, value: round(places.at(50)), unit: 'ms', what: `restore around commit 50, ${what}` },
      {
        figure: `${name}LongMs`,
        value: round(places.at(long)),
        unit: 'ms',
        what: `restore around commit ${long}, ${what}`,
      },
      {
        figure: `${name}Ratio`,
        value: round(ratio),
        unit: '×',
        what: `commit ${long} against commit 50, ${what}`,
        goal: { text: '≤ 1.3', met: ratio <= 1.3 },
      },
    ];
  };
  const oldest = warm.at(16);
  const newest = warm.at(total - 16);
  return [
    ...rows('coldRestore', 'boot image read too', cold),
    ...rows('restore', 'boot image at hand', warm),
    { figure: 'oldestMs', value: round(oldest), unit: 'ms', what: `restore the oldest of ${total} commits` },
    { figure: 'newestMs', value: round(newest), unit: 'ms', what: `restore the newest of ${total} commits` },
    {
      figure: 'storedBytesLong',
      value: round(mean(chain.stored)),
      unit: 'B',
      what: `pack bytes per step over ${total} steps`,
    },
  ];
}

/** Times checkouts around several commits in turn, so that whatever else the machine does meets all of them. */
class Restores {
  readonly #store: Store;
  readonly #hashes: readonly string[];
  readonly #warm: boolean;
  readonly #best = new Map<number, number[]>();

  constructor(store: Store, hashes: readonly string[], warm: boolean) {
    this.#store = store;
    this.#hashes = hashes;
    this.#warm = warm;
  }

  /** The mean of the best times of 32 neighbours: how many packs lie on the way changes from commit to commit. */
  at(place: number): number {
    return mean(this.#best.get(place) ?? []);
  }

  async measure(places: readonly number[], rounds: number): Promise<void> {
    let history = await openHistory(this.#store, { cacheBytes: 0 });
    for (const place of places)
      this.#best.set(
        place,
        Array.from({ length: 32 }, () => Infinity),
      );
    for (let count = 0; count < rounds; count++) {
      for (let neighbour = 0; neighbour < 32; neighbour++) {
        for (const place of places) {
          if (!this.#warm) history = await openHistory(this.#store, { cacheBytes: 0 });
          const started = performance.now();
          await history.checkout('long', this.#hashes[place - 16 + neighbour] ?? '');
          const best = this.#best.get(place) ?? [];
          best[neighbour] = Math.min(best[neighbour] ?? Infinity, performance.now() - started);
        }
      }
    }
  }
}

async function measureLarge(store: Store, megabytes: number): Promise<Measurement[]> {
  const history = await openHistory(store, { cacheBytes: 0 });
  const heap = syntheticHeap(megabytes);
  const boot = new Uint8Array(pageBytes);
  const chain = new BenchChain(store, history, { ...heap, bytes: () => boot }, 'large');
  await chain.create();
  await chain.commit(heap.bytes());
  const whole = chain.prepares.splice(0)[0] ?? 0;
  const wholeBytes = chain.stored.splice(0)[0] ?? 0;
  for (let step = 0; step < 20; step++) {
    heap.step();
    await chain.commit(heap.bytes());
  }
  const samples: number[] = [];
  for (let attempt = 0; attempt < 3; attempt++) {
    const reader = await openHistory(store, { cacheBytes: 0 });
    const started = performance.now();
    await reader.checkout('large', chain.hashes.at(-1) ?? '');
    samples.push(performance.now() - started);
  }
  const restore = percentile(samples, 0.5);
  const name = `mb${megabytes}`;
  return [
    {
      figure: `${name}StepMs`,
      value: round(percentile(chain.prepares, 0.5) / 1000),
      unit: 'ms',
      what: `${megabytes} MB: prepare a small step, all pages compared, p50`,
    },
    {
      figure: `${name}StepBytes`,
      value: round(mean(chain.stored)),
      unit: 'B',
      what: `${megabytes} MB: pack bytes of a small step`,
    },
    {
      figure: `${name}WholeMsPerMb`,
      value: round(whole / 1000 / megabytes),
      unit: 'ms/MB',
      what: `${megabytes} MB: commit of the whole image`,
    },
    {
      figure: `${name}WholeBytesPerMb`,
      value: round(wholeBytes / megabytes),
      unit: 'B/MB',
      what: `${megabytes} MB: its pack`,
    },
    {
      figure: `${name}RestoreMsPerMb`,
      value: round(restore / megabytes),
      unit: 'ms/MB',
      what: `${megabytes} MB: restore`,
    },
  ];
}

/** Closes the store, which moves everything into its main file, and opens it again. */
type Reopen = () => Promise<{ readonly store: Store; readonly bytes: number }>;

async function inFolder<Result>(work: (store: Store, reopen: Reopen) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(process.env['STATEK_BENCH_FOLDER'] ?? process.cwd(), 'bench-history-'));
  const open = (): Promise<Store> => openStore(folder, { sqlite: { durability: 'relaxed' } });
  let store = await open();
  const reopen: Reopen = async () => {
    await store.close();
    const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
    store = await open();
    return { store, bytes };
  };
  try {
    return await work(store, reopen);
  } finally {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function mean(samples: readonly number[]): number {
  return samples.reduce((sum, sample) => sum + sample, 0) / Math.max(1, samples.length);
}
