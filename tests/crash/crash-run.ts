// A run of rounds on one store whose history grows: load, kill, reopen, compare, tidy up.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Collection } from '../../src/store/collection.ts';
import type { Store } from '../../src/store/store.ts';
import { LoadProcess } from './child-process.ts';
import { everyCollection, marks, work } from './collections.ts';
import { compare, type Comparison } from './compare.ts';
import { readJournal, type Journal, type JournalTransaction, type JournalWrite } from './journal.ts';
import { Model } from './model.ts';
import { openPlace, type CrashPlace } from './place.ts';
import type { Problem } from './problem.ts';
import { Random } from './random.ts';
import { toTransaction } from './transactions.ts';

export interface RoundReport extends Comparison {
  readonly round: number;
  readonly processes: number;
  readonly serverCrashed: boolean;
}

export class CrashRun {
  readonly #place: CrashPlace;
  readonly #seed: number;
  readonly #model = new Model();
  readonly #folder = mkdtempSync(join(tmpdir(), 'statek-crash-journals-'));
  /** Processes that are up already, because to start one takes longer than most rounds let it live. */
  readonly #spare: LoadProcess[] = [];
  readonly #cache = join(this.#folder, 'cache');
  #round = 0;

  constructor(place: CrashPlace, seed: number) {
    this.#place = place;
    this.#seed = seed;
  }

  /** Lets one load come to its end, because only a process that is not killed leaves compiled modules behind. */
  async prepare(): Promise<void> {
    const child = new LoadProcess(this.#cache);
    const journal = join(this.#folder, 'prepare');
    const place = this.#place.description;
    child.start({ place, name: '0.0', seed: this.#seed, journal, calls: 20, pruneUpTo: undefined });
    await child.ended();
    const store = await this.#open();
    try {
      const { problems } = await compare(store, this.#model, [readJournal(journal)], new Random(this.#seed));
      if (problems.length > 0) throw new Error(`A load that was not killed left: ${JSON.stringify(problems)}`);
    } finally {
      await store.close();
    }
  }

  async round(): Promise<RoundReport> {
    const round = ++this.#round;
    const random = new Random(this.#seed + round * 7919);
    const { isShared } = this.#place;
    const processes = random.chance(0.3) && isShared ? 2 : 1;
    // A store that is open here all the while keeps the log's index alive; without it the next to open recovers the log.
    let store = random.chance(0.3) && isShared ? await this.#open() : undefined;
    const crashServer = random.chance(0.4) ? this.#place.crashServer : undefined;
    if (crashServer !== undefined) {
      await store?.close();
      store = undefined;
    }
    const { journals, complaints } = await this.#load(processes, random, crashServer);
    await this.#place.settled();
    store ??= await this.#open();
    try {
      const comparison = await compare(store, this.#model, journals, random);
      const failures = crashServer === undefined ? failuresIn(journals) : [];
      const problems = [...comparison.problems, ...failures, ...complaints];
      if (problems.length === 0) await this.#sweep(store, random);
      return { ...comparison, problems, round, processes, serverCrashed: crashServer !== undefined };
    } finally {
      await store.close();
    }
  }

  async dispose(): Promise<void> {
    for (const child of this.#spare) await child.kill();
    rmSync(this.#folder, { recursive: true, force: true });
    await this.#place.dispose();
  }

  async #load(
    processes: number,
    random: Random,
    crashServer: (() => Promise<void>) | undefined,
  ): Promise<{ journals: readonly Journal[]; complaints: readonly Problem[] }> {
    const paths: string[] = [];
    const children = Array.from({ length: processes }, (_, index) => {
      const path = join(this.#folder, `${this.#round}-${index}`);
      paths.push(path);
      const child = this.#spare.pop() ?? new LoadProcess(this.#cache);
      child.start({
        place: this.#place.description,
        name: `${this.#round}.${index}`,
        seed: random.seed(),
        journal: path,
        calls: undefined,
        pruneUpTo: this.#model.revision,
      });
      return child;
    });
    while (this.#spare.length < 2) this.#spare.push(new LoadProcess(this.#cache));
    if (crashServer !== undefined) {
      await children[0]?.moment(random, this.#place.longestMilliseconds);
      await crashServer();
    }
    const killed = children.map(async (child) => {
      await child.moment(new Random(random.seed()), this.#place.longestMilliseconds);
      return child.kill();
    });
    const complaints = (await Promise.all(killed))
      // A process that was still opening the store when the server went away says so and ends.
      .filter((text) => text !== '' && !(crashServer !== undefined && text.includes("code: 'STORE_UNAVAILABLE'")))
      .map((text): Problem => ({ kind: 'wrong', text: `A process complained: ${text}` }));
    const journals = paths.filter((path) => existsSync(path)).map(readJournal);
    for (const path of paths) rmSync(path, { force: true });
    return { journals, complaints };
  }

  async #open(): Promise<Store> {
    const store = await openPlace(this.#place.description);
    await store.declare(...everyCollection);
    return store;
  }

  /** Takes away what would only pile up, with one large transaction that the next round finds in the store. */
  async #sweep(store: Store, random: Random): Promise<void> {
    const swept: readonly Collection[] = random.chance(0.5) ? [marks, work] : [marks];
    const name = `sweep ${this.#round}`;
    const writes = swept.flatMap((collection) =>
      [...this.#model.entries(collection.name).keys()].map((key): JournalWrite => ({
        kind: 'remove',
        collection: collection.name,
        key: JSON.parse(key) as string[],
      })),
    );
    writes.unshift({ kind: 'put', collection: marks.name, key: [name] });
    const transaction: JournalTransaction = { name, writes, checks: [], lease: undefined };
    const [result] = await store.commit([toTransaction(transaction)]);
    if (result?.status !== 'committed') throw new Error(`The sweep had a conflict: ${JSON.stringify(result)}.`);
    this.#model.apply(result.revision, transaction);
    if (swept.includes(work)) this.#model.held.clear();
  }
}

// Where only the load is killed, nothing it asks for may fail.
function failuresIn(journals: readonly Journal[]): Problem[] {
  return journals
    .flatMap(({ entries }) => entries)
    .flatMap(({ call, failure }) =>
      failure === undefined ? [] : [{ kind: 'wrong', text: `${call.verb} failed: ${failure.message}` }],
    );
}
