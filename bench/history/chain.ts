// Commits the steps of a heap to a chain, as a workspace would, and times what the history does.
import type { CommitHash, Head, History } from '../../src/history/history.ts';
import { bootImage, copyPages } from '../../src/history/images/image.ts';
import { mustCommit } from '../../src/store/must-commit.ts';
import type { Store } from '../../src/store/store.ts';
import type { Heap } from './heap.ts';

const header = new Uint8Array(16);

export class BenchChain {
  readonly hashes: CommitHash[] = [];
  /** Microseconds of each `prepare`. */
  readonly prepares: number[] = [];
  /** Stored bytes of each commit's pack. */
  readonly stored: number[] = [];
  readonly changed: { pages: number; bytes: number }[] = [];
  readonly #store: Store;
  readonly #history: History;
  readonly #heap: Heap;
  readonly #name: string;
  #head: Head | undefined;
  #previous: Uint8Array<ArrayBuffer> = new Uint8Array(0);

  constructor(store: Store, history: History, heap: Heap, name: string) {
    this.#store = store;
    this.#history = history;
    this.#heap = heap;
    this.#name = name;
  }

  async create(): Promise<void> {
    this.#previous = new Uint8Array(this.#heap.bytes());
    const created = await this.#history.create(this.#name, bootImage({ bytes: this.#previous, header }), { step: 0 });
    await mustCommit(this.#store, { checks: created.checks, writes: created.writes });
    this.hashes.push(created.hash);
    this.#head = (await this.#history.open(this.#name)).head;
  }

  /** Creates the chain and commits so many steps. */
  async run(count: number): Promise<void> {
    await this.create();
    for (let index = 0; index < count; index++) {
      this.#heap.step();
      await this.commit(this.#heap.bytes());
    }
  }

  async commit(current: Uint8Array): Promise<void> {
    if (this.#head === undefined) throw new Error('Create the chain first.');
    const change = { previous: this.#previous, current, header };
    const started = performance.now();
    const prepared = this.#history.prepare(this.#head, change, { step: this.hashes.length, console: [0, 1] });
    this.prepares.push((performance.now() - started) * 1000);
    const revision = await mustCommit(this.#store, { checks: prepared.checks, writes: prepared.writes });
    this.#head = prepared.committed(revision);
    if (this.#previous.length !== current.length) {
      const resized = new Uint8Array(current.length);
      resized.set(this.#previous.subarray(0, current.length));
      this.#previous = resized;
    }
    copyPages(current, this.#previous, prepared.changedPages);
    this.hashes.push(prepared.hash);
    this.stored.push(prepared.commit.storedBytes);
    this.changed.push(prepared.commit.changed);
  }
}
