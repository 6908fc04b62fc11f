// One run over a source: items that changed go through the handler, those that vanished are removed. What is finished is committed in
// batches, each item with its words and the counters of the source; a process that dies loses only what was not committed, and the next
// one is given those items again, with the same idempotency keys.
import { createHash, randomUUID } from 'node:crypto';
import type { Lease, Store, Transaction, Write } from '../../store/door.ts';
import { StateArgumentError, StateConflictError } from '../foundation/errors.ts';
import { checkMembers, is, required, type Kinds } from '../foundation/given.ts';
import type { Place } from '../foundation/place.ts';
import type { IndexedDocument, IndexingReport, ItemHandler, SourceItem } from './records.ts';
import {
  documentRows,
  itemPart,
  itemRows,
  noSums,
  runRows,
  type DocumentRow,
  type ItemRow,
  type RunRow,
  type SourceSums,
} from './rows.ts';
import { indexedWords, indexWrites, type IndexChange } from './search-index.ts';

export interface RunOptions {
  readonly place: Place;
  readonly base: string;
  readonly source: string;
  readonly lease: Lease;
  readonly items: Iterable<SourceItem> | AsyncIterable<SourceItem>;
  readonly total: number | undefined;
  readonly handler: ItemHandler | undefined;
  readonly concurrency: number;
  readonly removeMissing: boolean;
  readonly signal: AbortSignal;
}

/** What became of an item. */
interface Finished {
  readonly item: SourceItem;
  readonly hash: string;
  readonly before: ItemRow | undefined;
  readonly outcome: { readonly document: IndexedDocument } | { readonly error: string };
}

/** Known items are looked up in groups, if the source does not have to be waited for. */
const lookUpAtOnce = 256;
const maxBatch = 256;
/**
 * A larger batch rewrites fewer rows of the index. Only where no handler's work would be lost, and where the store is on this machine: a
 * server would keep everybody else waiting for so long.
 */
const maxPlainBatch = 1024;
const maxBatchLength = 4_000_000;
const maxTextLength = 4_000_000;
const maxErrorLength = 2000;

const itemKinds: Kinds<SourceItem> = {
  id: required(is.own((value) => typeof value === 'string' && value !== '', 'a text')),
  content: is.own((value) => typeof value === 'string' || value instanceof Uint8Array, 'a text or bytes'),
  hash: is.text,
  title: is.text,
  metadata: is.record,
};
const documentKinds: Kinds<IndexedDocument> = {
  text: is.text,
  title: is.text,
  metadata: is.record,
  embeddings: is.count,
  storageBytes: is.count,
};

export class IndexingRun {
  readonly #options: RunOptions;
  readonly #seen = new Set<string>();
  readonly #finished: Finished[] = [];
  readonly #stop = new AbortController();
  #running = 0;
  #committing: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;
  #wake: () => void = () => undefined;
  #row: RunRow | undefined;
  #unsavedUnchanged = 0;
  #batch = maxBatch;

  constructor(options: RunOptions) {
    this.#options = options;
  }

  /** Runs to the end of the source, or until the signal is aborted or the lease is lost. */
  async go(): Promise<IndexingReport> {
    const { signal } = this.#options;
    const stop = (): void => this.#stop.abort(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    try {
      signal.throwIfAborted();
      await this.#begin();
      for await (const items of this.#groups()) {
        await this.#look(items);
        this.#throwIfStopped();
      }
      // Finished items that wait for their commit; more would be too many to do again.
      await this.#until(() => this.#running === 0 && this.#finished.length === 0 && this.#committing === undefined);
      if (this.#options.removeMissing) await this.#removeVanished();
      const { indexed, unchanged, failed, removed } = await this.#end();
      return { indexed, unchanged, failed, removed };
    } catch (error) {
      // Handlers that still run are told to stop; what they return is not committed.
      this.#stop.abort(error);
      await this.#committing;
      await this.#note(error);
      throw error;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  async #begin(): Promise<void> {
    const { place, total, handler } = this.#options;
    const store = await place.store();
    if (handler === undefined && !store.features.remote) this.#batch = maxPlainBatch;
    const [known] = await store.read(runRows, [this.#key]);
    const now = place.clock.now();
    const before = known?.value;
    const isResumed = before !== undefined && before.finished === undefined;
    await this.#commit({
      run: isResumed ? before.run : randomUUID(),
      started: isResumed ? before.started : now,
      since: now,
      updated: now,
      ...(total === undefined ? {} : { total }),
      resumed: isResumed ? before.resumed + 1 : 0,
      indexed: 0,
      unchanged: 0,
      failed: 0,
      removed: 0,
      ...(before?.lastSync === undefined ? {} : { lastSync: before.lastSync }),
      sums: before?.sums ?? noSums,
    });
  }

  /** Why it was interrupted, for those who look. What cannot be written is told to the caller in any case. */
  async #note(cause: unknown): Promise<void> {
    if (this.#row === undefined) return;
    const error = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
    await this.#commit({ ...this.#row, error: error.slice(0, maxErrorLength) }).catch(() => undefined);
  }

  async *#groups(): AsyncGenerator<readonly SourceItem[], void, undefined> {
    const { items } = this.#options;
    if (Symbol.asyncIterator in items) {
      for await (const item of items) yield [item];
      return;
    }
    let group: SourceItem[] = [];
    for (const item of items) {
      group.push(item);
      if (group.length < lookUpAtOnce) continue;
      yield group;
      group = [];
    }
    if (group.length > 0) yield group;
  }

  /** Skips what has not changed, and starts the handler for the rest. */
  async #look(items: readonly SourceItem[]): Promise<void> {
    const { place, base, source, concurrency } = this.#options;
    const store = await place.store();
    for (const item of items) {
      checkMembers('index: an item', item, itemKinds);
      const { id } = item;
      if (this.#seen.has(itemPart(id)))
        throw new StateArgumentError(`index: the source '${source}' has two items '${id}'. Ids must be unique.`, {
          id,
        });
      this.#seen.add(itemPart(id));
    }
    const rows = await store.read(
      itemRows,
      items.map(({ id }) => [place.prefix, base, source, itemPart(id)]),
    );
    for (const [index, item] of items.entries()) {
      const before = rows[index]?.value;
      const hash = hashOf(item);
      if (before?.indexed?.hash === hash && before.failed === undefined) {
        this.#unsavedUnchanged++;
        continue;
      }
      await this.#until(() => this.#running < concurrency && this.#finished.length < 2 * this.#batch);
      this.#running++;
      void this.#handle(item, hash, before).finally(() => {
        this.#running--;
        this.#commitSoon();
        this.#wake();
      });
    }
  }

  async #handle(item: SourceItem, hash: string, before: ItemRow | undefined): Promise<void> {
    const { place, base, source, handler } = this.#options;
    const idempotencyKey = createHash('sha256')
      .update(JSON.stringify([place.prefix, base, source, item.id, hash]))
      .digest('base64url');
    try {
      const given = await handler?.(item, { idempotencyKey, signal: this.#stop.signal });
      const document = typeof given === 'string' ? { text: given } : (given ?? {});
      checkMembers('The result of the handler', document, documentKinds);
      const text = document.text ?? (typeof item.content === 'string' ? item.content : '');
      if (text.length > maxTextLength)
        throw new StateArgumentError(
          `Its text has ${text.length} characters, the limit is ${maxTextLength}. Split it.`,
        );
      this.#finished.push({ item, hash, before, outcome: { document: { ...document, text } } });
    } catch (error) {
      // The failure of a handler that was told to stop says nothing about its item.
      if (this.#stop.signal.aborted) return;
      const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      this.#finished.push({ item, hash, before, outcome: { error: text } });
    }
  }

  #commitSoon(): void {
    if (this.#committing !== undefined || this.#finished.length === 0 || this.#failure !== undefined) return;
    if (this.#stop.signal.aborted) return;
    this.#committing = this.#commitFinished()
      .catch((error: unknown) => {
        this.#failure = { error };
      })
      .finally(() => {
        this.#committing = undefined;
        this.#commitSoon();
        this.#wake();
      });
  }

  async #commitFinished(): Promise<void> {
    let length = 0;
    let count = 0;
    for (const { outcome } of this.#finished) {
      length += 'document' in outcome ? (outcome.document.text ?? '').length : 0;
      if (count > 0 && (count === this.#batch || length > maxBatchLength)) break;
      count++;
    }
    const batch = this.#finished.splice(0, count);
    const { place } = this.#options;
    const store = await place.store();
    const row = this.#row as RunRow;
    const sums = new Sums(row.sums);
    const writes: Write[] = [];
    const changes: IndexChange[] = [];
    await this.#takeOut(
      store,
      batch.flatMap(({ before, outcome }) => (before !== undefined && 'document' in outcome ? [before] : [])),
      { sums, writes, changes },
    );
    let failed = 0;
    for (const each of batch) {
      if ('error' in each.outcome) failed++;
      this.#putIn(each, { sums, writes, changes });
    }
    writes.push(...(await this.#indexWrites(store, changes)));
    const saved = this.#unsavedUnchanged;
    await this.#commit(
      {
        ...row,
        updated: place.clock.now(),
        indexed: row.indexed + batch.length - failed,
        failed: row.failed + failed,
        unchanged: row.unchanged + saved,
        sums: sums.row,
      },
      writes,
    );
    this.#unsavedUnchanged -= saved;
  }

  /** The end of indexed versions of items, whose texts say which words to remove. */
  async #takeOut(store: Store, items: readonly ItemRow[], { sums, writes, changes }: Collected): Promise<void> {
    for (const { failed } of items) if (failed !== undefined) sums.add({ failed: -1 });
    const indexed = items.flatMap((item) => (item.indexed === undefined ? [] : [item.indexed]));
    const keys = indexed.map(({ number }) => [...this.#key, number]);
    const texts = await store.read(documentRows, keys);
    for (const [index, { number, words, bytes, embeddings }] of indexed.entries()) {
      const document = texts[index]?.value;
      sums.add({ documents: -1, words: -words, bytes: -bytes, embeddings: -embeddings });
      writes.push({ kind: 'remove', collection: documentRows, key: keys[index] as string[] });
      if (document !== undefined)
        changes.push({ kind: 'remove', number, words: indexedWords(document.title, document.text) });
    }
  }

  #putIn({ item, hash, before, outcome }: Finished, { sums, writes, changes }: Collected): void {
    const key = [...this.#key, itemPart(item.id)];
    const time = this.#options.place.clock.now();
    if ('error' in outcome) {
      // The version that was indexed before stays.
      if (before?.failed === undefined) sums.add({ failed: 1 });
      const value: ItemRow = { ...before, id: item.id, failed: { hash, error: outcome.error, time } };
      writes.push({ kind: 'put', collection: itemRows, key, value });
      return;
    }
    const { text = '', embeddings = 0, storageBytes = 0 } = outcome.document;
    const title = outcome.document.title ?? item.title;
    const indexed = indexedWords(title, text);
    const words = indexed.total;
    const bytes = Buffer.byteLength(text) + storageBytes;
    const number = sums.next();
    sums.add({ documents: 1, words, bytes, embeddings });
    const titled = title === undefined ? {} : { title };
    const value: ItemRow = {
      id: item.id,
      indexed: { hash, number, words, bytes, embeddings, time, ...titled },
    };
    const document: DocumentRow = {
      item: item.id,
      ...titled,
      text,
      metadata: outcome.document.metadata ?? item.metadata ?? {},
    };
    writes.push({ kind: 'put', collection: itemRows, key, value });
    writes.push({ kind: 'put', collection: documentRows, key: [...this.#key, number], value: document });
    changes.push({ kind: 'add', number, words: indexed });
  }

  async #removeVanished(): Promise<void> {
    const { place } = this.#options;
    const store = await place.store();
    let cursor: string | undefined;
    do {
      const page = await store.scan(itemRows, { prefix: this.#key }, { limit: maxBatch, cursor });
      ({ cursor } = page);
      const gone = page.entries.filter(({ key }) => !this.#seen.has(key[3] as string));
      this.#throwIfStopped();
      if (gone.length === 0) continue;
      const row = this.#row as RunRow;
      const sums = new Sums(row.sums);
      const writes: Write[] = gone.map(({ key }) => ({ kind: 'remove', collection: itemRows, key }));
      const changes: IndexChange[] = [];
      await this.#takeOut(
        store,
        gone.map(({ value }) => value),
        { sums, writes, changes },
      );
      writes.push(...(await this.#indexWrites(store, changes)));
      await this.#commit(
        { ...row, updated: place.clock.now(), removed: row.removed + gone.length, sums: sums.row },
        writes,
      );
    } while (cursor !== undefined);
  }

  async #end(): Promise<RunRow> {
    const row = this.#row as RunRow;
    const now = this.#options.place.clock.now();
    const unchanged = row.unchanged + this.#unsavedUnchanged;
    const ended: RunRow = {
      ...row,
      updated: now,
      finished: now,
      lastSync: now,
      unchanged,
      total: row.indexed + row.failed + unchanged,
    };
    await this.#commit(ended);
    return ended;
  }

  #indexWrites(store: Store, changes: readonly IndexChange[]): Promise<Write[]> {
    const { place, base, source } = this.#options;
    return indexWrites(store, { prefix: place.prefix, base, source }, changes);
  }

  /** Everything a run writes, it writes under its lease. */
  async #commit(row: RunRow, writes: readonly Write[] = []): Promise<void> {
    const { place, lease, source } = this.#options;
    const store = await place.store();
    const transaction: Transaction = {
      leases: [{ lease, afterwards: 'keep' }],
      writes: [...writes, { kind: 'put', collection: runRows, key: this.#key, value: row }],
    };
    const [result] = await store.commit([transaction]);
    if (result?.status !== 'committed')
      throw new StateConflictError(
        `index: another process has taken over the source '${source}', or it was deleted. What was committed stays.`,
        { source },
      );
    this.#row = row;
  }

  get #key(): string[] {
    const { place, base, source } = this.#options;
    return [place.prefix, base, source];
  }

  #throwIfStopped(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
    this.#stop.signal.throwIfAborted();
  }

  async #until(holds: () => boolean): Promise<void> {
    const { signal } = this.#stop;
    const woken = (): void => this.#wake();
    signal.addEventListener('abort', woken, { once: true });
    try {
      for (;;) {
        this.#throwIfStopped();
        if (holds()) return;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      signal.removeEventListener('abort', woken);
    }
  }
}

interface Collected {
  readonly sums: Sums;
  readonly writes: Write[];
  readonly changes: IndexChange[];
}

/** The sums of a source while a batch is put together. */
class Sums {
  #row: SourceSums;

  constructor(row: SourceSums) {
    this.#row = row;
  }

  get row(): SourceSums {
    return this.#row;
  }

  next(): number {
    const { next } = this.#row;
    this.#row = { ...this.#row, next: next + 1 };
    return next;
  }

  add(changes: Partial<Omit<SourceSums, 'next'>>): void {
    const { documents = 0, failed = 0, embeddings = 0, bytes = 0, words = 0 } = changes;
    const row = this.#row;
    this.#row = {
      documents: row.documents + documents,
      failed: row.failed + failed,
      embeddings: row.embeddings + embeddings,
      bytes: row.bytes + bytes,
      words: row.words + words,
      next: row.next,
    };
  }
}

function hashOf({ id, hash, content, title }: SourceItem): string {
  if (hash !== undefined) return hash;
  if (content === undefined)
    throw new StateArgumentError(
      `index: the item '${id}' needs its content or a hash, to see whether it has changed.`,
      {
        id,
      },
    );
  const digest = createHash('sha256').update(content);
  // A title is searched, too.
  if (title !== undefined) digest.update('\0').update(title);
  return digest.digest('base64url');
}
