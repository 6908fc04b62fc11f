// Knowledge bases: where their documents come from, how far indexing has come, and search over their texts. Work that Statek does itself
// (`index`) is durable; work done elsewhere is reported.
import { hostname } from 'node:os';
import type { KnowledgeIndex } from '../../agents/door.ts';
import { after } from '../../base/clock.ts';
import {
  mergeParts,
  mustCommit,
  type Check,
  type Collection,
  type Entry,
  type Key,
  type Lease,
  type RecordCollection,
  type Store,
  type Write,
} from '../../store/door.ts';
import { StateArgumentError, StateConflictError, StateNotFoundError } from '../foundation/errors.ts';
import { Changes } from '../foundation/changes.ts';
import { LeaseKeeper } from '../foundation/lease-keeper.ts';
import { checkedName } from '../foundation/names.ts';
import { once } from '../foundation/once.ts';
import { Place, placeKinds, type PlaceOptions } from '../foundation/place.ts';
import {
  subscribeToChanges,
  type ChangeCallback,
  type EventOptions,
  type Followed,
} from '../foundation/subscribing.ts';
import { keyMatcher, type KeyPattern } from '../manager/pattern.ts';
import { removeRange } from '../foundation/remove-range.ts';
import { checkArgument, checkGiven, is, type Kinds, required } from '../foundation/given.ts';
import { IndexingRun } from './indexing-run.ts';
import {
  IndexingStatus,
  SyncStatus,
  type IndexingProgress,
  type IndexingReport,
  type ItemHandler,
  type ItemState,
  type KnowledgeBaseState,
  type KnowledgeBaseSummary,
  type ReportedProgress,
  type ReportedSource,
  type SearchResults,
  type SourceItem,
  type SourceState,
} from './records.ts';
import {
  baseRows,
  documentRows,
  itemPart,
  itemRows,
  knowledgeCollections,
  postingRows,
  progressRows,
  runItems,
  runRows,
  sourceRows,
  type BaseRow,
  type ReportedProgressRow,
  type SourceRow,
} from './rows.ts';
import { searchIndex } from './search-index.ts';
import { combined, itemOf, progressOf, reportedProgress, sourceStateOf, type KnownSource } from './views.ts';

/** Where knowledge is kept. */
export interface KnowledgeStateManagerOptions extends PlaceOptions {
  /** How long a source stays with a process that does not answer; default: 5,000. Many stores notice a death at once. */
  readonly leaseMilliseconds?: number | undefined;
}

/** How a source is indexed. */
export interface IndexOptions {
  readonly knowledgeBase: string;
  /** How many items go through the handler at once; default: 4. */
  readonly concurrency?: number | undefined;
  /** How many items there are, if they are not a list; otherwise there is no estimate. */
  readonly total?: number | undefined;
  /** Items that are not given any more are removed; default: true. */
  readonly removeMissing?: boolean | undefined;
  /** How long to wait for another process that indexes the source; default: 0. */
  readonly waitMilliseconds?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A page of a listing; `cursor` is that of the page before. */
export interface KnowledgePageOptions {
  /** Default: 100, 1,000 at most. */
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

const retryMilliseconds = 100;
const maxSources = 1000;
const maxListed = 1000;
/** What the progress of a knowledge base follows from. */
const progressSources = [baseRows, sourceRows, progressRows, runRows, runItems];
const iterable = is.own(
  (value) => typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value),
  'a list or something to iterate over',
);
const kinds: Kinds<KnowledgeStateManagerOptions> = { ...placeKinds, leaseMilliseconds: is.whole(1, 86_400_000) };
const pages: Kinds<KnowledgePageOptions> = { limit: is.whole(1, maxListed), cursor: is.text };

/**
 * Knowledge bases: sources, indexing that survives the death of its process, and search.
 *
 * @example
 * import { KnowledgeStateManager } from 'statek/state';
 *
 * const knowledge = new KnowledgeStateManager({ store: 'memory:' });
 * const pages = [
 *   { id: 'trains', content: 'Trains leave from platform nine.' },
 *   { id: 'rooms', content: 'Rooms are booked by the clerk.' },
 * ];
 * await knowledge.index('handbook', pages, undefined, { knowledgeBase: 'company' });
 * const { results } = await knowledge.search('company', 'Where do trains leave?');
 * console.log(results[0]?.itemId); // prints trains
 * await knowledge.close();
 */
export class KnowledgeStateManager {
  readonly #place: Place;
  readonly #changes: Changes;
  readonly #keeper: LeaseKeeper;
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<unknown>>();
  #isAbandoned = false;

  constructor(options: KnowledgeStateManagerOptions = {}) {
    checkGiven('KnowledgeStateManager', options, kinds);
    const { leaseMilliseconds = 5000, ...place } = options;
    this.#place = new Place('KnowledgeStateManager', place, knowledgeCollections);
    this.#changes = new Changes(() => this.#place.store());
    this.#keeper = new LeaseKeeper({
      store: () => this.#place.store(),
      clock: this.#place.clock,
      name: `${hostname()} ${process.pid}`,
      leaseMilliseconds,
    });
  }

  /** Makes a knowledge base. Sources that are indexed or reported make theirs by themselves. */
  async createKnowledgeBase(
    knowledgeBaseId: string,
    options: {
      readonly name?: string | undefined;
      readonly metadata?: Readonly<Record<string, unknown>> | undefined;
    } = {},
  ): Promise<KnowledgeBaseState> {
    checkedName('createKnowledgeBase', 'knowledgeBaseId', knowledgeBaseId);
    checkGiven('createKnowledgeBase', options, { name: is.text, metadata: is.record });
    const created = await this.#makeBase(knowledgeBaseId, options);
    if (!created)
      throw new StateConflictError(`createKnowledgeBase: there is a knowledge base '${knowledgeBaseId}' already.`, {
        knowledgeBaseId,
      });
    return this.#mustGetState(knowledgeBaseId);
  }

  /** Knowledge bases by name, page by page. */
  async listKnowledgeBases(
    options: KnowledgePageOptions = {},
  ): Promise<{ readonly knowledgeBases: readonly KnowledgeBaseSummary[]; readonly cursor: string | undefined }> {
    checkGiven('listKnowledgeBases', options, pages);
    const { limit = 100 } = options;
    const store = await this.#place.store();
    const range = { prefix: [this.#place.prefix] };
    const { entries, cursor } = await store.scan(baseRows, range, { limit, cursor: options.cursor });
    const knowledgeBases = entries
      .filter(({ value }) => value.isDeleted !== true)
      .map(({ key, value }) => summaryOf(key[1] as string, value));
    return { knowledgeBases, cursor };
  }

  /** Removes a knowledge base and everything in it. Refused while a process indexes one of its sources. */
  async deleteKnowledgeBase(knowledgeBaseId: string): Promise<void> {
    checkedName('deleteKnowledgeBase', 'knowledgeBaseId', knowledgeBaseId);
    const store = await this.#place.store();
    const { prefix } = this.#place;
    const key = [prefix, knowledgeBaseId];
    const [running] = await this.#keeper.live(runItems, { prefix: key });
    if (running !== undefined)
      throw new StateConflictError(
        `deleteKnowledgeBase: the process '${running.owner}' indexes the source '${String(running.key[2])}' of '${knowledgeBaseId}'. Stop it first.`,
        { knowledgeBaseId, owner: running.owner },
      );
    await this.#change(`The knowledge base '${knowledgeBaseId}'`, async () => {
      const base = await this.#knownBase(knowledgeBaseId);
      return {
        checks: [{ kind: 'revision', collection: baseRows, key, revision: base.revision }],
        writes: [{ kind: 'put', collection: baseRows, key, value: { ...base.value, isDeleted: true } }],
      };
    });
    await this.#finishDeleting(store, knowledgeBaseId);
  }

  /** Removes a source and its documents. Refused while a process indexes it. */
  async deleteSource(knowledgeBaseId: string, sourceId: string): Promise<void> {
    checkedName('deleteSource', 'knowledgeBaseId', knowledgeBaseId);
    checkedName('deleteSource', 'sourceId', sourceId);
    const { prefix } = this.#place;
    await this.#knownBase(knowledgeBaseId);
    // An empty run removes every item and its words.
    const [run] = await (await this.#place.store()).read(runRows, [[prefix, knowledgeBaseId, sourceId]]);
    if (run !== undefined) await this.index(sourceId, [], undefined, { knowledgeBase: knowledgeBaseId });
    const key = [prefix, knowledgeBaseId, sourceId];
    await mustCommit(await this.#place.store(), {
      writes: [sourceRows, runRows, runItems, progressRows].map((collection): Write => ({
        kind: 'remove',
        collection,
        key,
      })),
    });
  }

  /**
   * Brings a source up to date: items whose contents changed go through the handler, those that are not given any more are
   * removed. One process at a time does this for a source. After a crash, call it again: it goes on with what was not committed.
   */
  async index(
    sourceId: string,
    items: Iterable<SourceItem> | AsyncIterable<SourceItem>,
    handler: ItemHandler | undefined,
    options: IndexOptions,
  ): Promise<IndexingReport> {
    checkedName('index', 'sourceId', sourceId);
    checkGiven('index', options, {
      knowledgeBase: required(is.name),
      concurrency: is.whole(1, 10_000),
      total: is.count,
      removeMissing: is.flag,
      waitMilliseconds: is.amount,
      signal: is.signal,
    });
    if (handler !== undefined) checkArgument('index', 'the handler', handler, is.action);
    checkArgument('index', 'items', items, iterable);
    const { knowledgeBase: base, concurrency = 4, removeMissing = true, waitMilliseconds = 0, signal } = options;
    const total = Array.isArray(items) ? items.length : options.total;
    await this.#makeBase(base);
    await this.#makeSource(base, sourceId);
    const lost = new AbortController();
    const signals = [lost.signal, this.#closing.signal, ...(signal === undefined ? [] : [signal])];
    const taken = (): void =>
      lost.abort(
        new StateConflictError(`index: another process has taken over the source '${sourceId}'.`, { sourceId }),
      );
    const until = performance.now() + waitMilliseconds;
    let lease = await this.#claim(base, sourceId, taken);
    while (lease === undefined) {
      if (performance.now() >= until) throw await this.#heldError(base, sourceId);
      await new Promise<void>((resolve) => after(this.#place.clock, retryMilliseconds, resolve));
      AbortSignal.any(signals).throwIfAborted();
      lease = await this.#claim(base, sourceId, taken);
    }
    const run = new IndexingRun({
      place: this.#place,
      base,
      source: sourceId,
      lease,
      items,
      total,
      handler,
      concurrency,
      removeMissing,
      signal: AbortSignal.any(signals),
    });
    const going = run.go();
    this.#running.add(going);
    try {
      return await going;
    } finally {
      this.#running.delete(going);
      // A process that died gives nothing back.
      if (!this.#isAbandoned) await this.#keeper.release(lease).catch(() => undefined);
    }
  }

  /** The documents that fit a query best. */
  async search(
    knowledgeBaseId: string,
    query: string,
    options: { readonly limit?: number | undefined } = {},
  ): Promise<SearchResults> {
    checkedName('search', 'knowledgeBaseId', knowledgeBaseId);
    checkArgument('search', 'the query', query, is.text);
    checkGiven('search', options, { limit: is.whole(1, maxListed) });
    const { limit = 10 } = options;
    await this.#knownBase(knowledgeBaseId);
    const store = await this.#place.store();
    const found = await searchIndex(store, { prefix: this.#place.prefix, base: knowledgeBaseId }, query, limit);
    return { ...found, results: found.results.map(({ text: _text, ...result }) => result) };
  }

  /** @internal The index as agents read it, with whole texts. A base that does not exist yet has no documents. */
  indexOf(knowledgeBaseId: string): KnowledgeIndex {
    const place = { prefix: this.#place.prefix, base: knowledgeBaseId };
    return {
      documents: async (limit) => {
        const store = await this.#place.store();
        const { entries, cursor } = await store.scan(
          documentRows,
          { prefix: [place.prefix, knowledgeBaseId] },
          { limit },
        );
        const documents = entries.map(({ key, value: { item, title, text, metadata } }) => ({
          sourceId: key[2] as string,
          itemId: item,
          title,
          text,
          metadata,
        }));
        return { documents, isComplete: cursor === undefined };
      },
      search: async (query, limit) => (await searchIndex(await this.#place.store(), place, query, limit)).results,
    };
  }

  /** Reports the progress of indexing that is done outside. */
  async updateIndexingProgress(
    progress: ReportedProgress & { readonly idempotencyKey?: string | undefined },
  ): Promise<IndexingProgress> {
    checkGiven('updateIndexingProgress', progress, {
      knowledgeBaseId: required(is.name),
      sourceId: is.name,
      status: required(is.oneOf(IndexingStatus)),
      totalDocuments: is.count,
      processedDocuments: is.count,
      failedDocuments: is.count,
      startedAt: is.date,
      completedAt: is.date,
      error: is.text,
      idempotencyKey: is.reportKey,
    });
    const { sourceId, status, idempotencyKey, startedAt, completedAt, error, totalDocuments } = progress;
    const { knowledgeBaseId: base, processedDocuments: processed = 0, failedDocuments: failed = 0 } = progress;
    await this.#makeBase(base);
    if (sourceId !== undefined) await this.#makeSource(base, sourceId);
    const contents = {
      status,
      ...(totalDocuments === undefined ? {} : { total: totalDocuments }),
      processed,
      failed,
      ...(startedAt === undefined ? {} : { started: startedAt.getTime() }),
      ...(completedAt === undefined ? {} : { completed: completedAt.getTime() }),
      ...(error === undefined ? {} : { error }),
    };
    const key = [this.#place.prefix, base, sourceId ?? ''];
    await this.#report(base, `indexing of ${base} ${sourceId ?? ''}`, idempotencyKey, contents, (time) => {
      const value: ReportedProgressRow = { ...contents, time };
      return Promise.resolve({ checks: [], writes: [{ kind: 'put', collection: progressRows, key, value }] });
    });
    return (await this.getIndexingProgress(
      base,
      sourceId === undefined ? {} : { source: sourceId },
    )) as IndexingProgress;
  }

  /** How far indexing has come: of one source, or of all together. Undefined if there is no such knowledge base or source. */
  async getIndexingProgress(
    knowledgeBaseId: string,
    options: { readonly source?: string | undefined } = {},
  ): Promise<IndexingProgress | undefined> {
    checkedName('getIndexingProgress', 'knowledgeBaseId', knowledgeBaseId);
    checkGiven('getIndexingProgress', options, { source: is.name });
    if ((await this.#base(knowledgeBaseId)) === undefined) return undefined;
    const now = this.#place.clock.now();
    const sources = await this.#sources(knowledgeBaseId, options.source);
    if (options.source !== undefined) return sources[0] && progressOf(knowledgeBaseId, sources[0], now);
    const all = sources
      .map((known) => progressOf(knowledgeBaseId, known, now))
      .filter(({ origin }) => origin !== 'none');
    if (all.length > 0) return combined(knowledgeBaseId, all);
    const store = await this.#place.store();
    const [reported] = await store.read(progressRows, [[this.#place.prefix, knowledgeBaseId, '']]);
    return reportedProgress(knowledgeBaseId, undefined, reported?.value);
  }

  /** Says how a source is to be treated, and for one that is indexed outside what state it is in. */
  async updateSourceState(
    source: ReportedSource & { readonly idempotencyKey?: string | undefined },
  ): Promise<SourceState> {
    checkGiven('updateSourceState', source, {
      sourceId: required(is.name),
      knowledgeBaseId: required(is.name),
      syncStatus: is.oneOf(SyncStatus),
      lastSync: is.date,
      documentsSynced: is.count,
      documentsPending: is.count,
      documentsFailed: is.count,
      embeddings: is.count,
      storageBytes: is.count,
      staleAfter: is.count,
      error: is.text,
      metadata: is.record,
      idempotencyKey: is.reportKey,
    });
    const { idempotencyKey, knowledgeBaseId, sourceId, staleAfter, metadata, lastSync, ...given } = source;
    await this.#makeBase(knowledgeBaseId);
    const facts = defined({ ...given, lastSync: lastSync?.getTime() });
    const settings = defined({ staleAfter, metadata });
    const key = [this.#place.prefix, knowledgeBaseId, sourceId];
    await this.#report(
      knowledgeBaseId,
      `source ${knowledgeBaseId} ${sourceId}`,
      idempotencyKey,
      { ...facts, ...settings },
      async (time) => {
        const store = await this.#place.store();
        const [known] = await store.read(sourceRows, [key]);
        const before = known?.value ?? { created: time, metadata: {} };
        const reported = Object.keys(facts).length === 0 ? before.reported : { ...before.reported, ...facts, time };
        const value: SourceRow = { ...before, ...settings, ...(reported === undefined ? {} : { reported }) };
        return {
          checks: [checkOf(sourceRows, key, known)],
          writes: [{ kind: 'put', collection: sourceRows, key, value }],
        };
      },
    );
    const [known] = await this.#sources(knowledgeBaseId, sourceId);
    return sourceStateOf(knowledgeBaseId, known as KnownSource, this.#place.clock.now());
  }

  /** The sources of a knowledge base, at most 1,000. */
  async getSources(knowledgeBaseId: string): Promise<readonly SourceState[]> {
    checkedName('getSources', 'knowledgeBaseId', knowledgeBaseId);
    await this.#knownBase(knowledgeBaseId);
    const now = this.#place.clock.now();
    return (await this.#sources(knowledgeBaseId)).map((known) => sourceStateOf(knowledgeBaseId, known, now));
  }

  /** What a knowledge base adds up to; undefined if there is none. */
  async getKnowledgeBaseState(knowledgeBaseId: string): Promise<KnowledgeBaseState | undefined> {
    checkedName('getKnowledgeBaseState', 'knowledgeBaseId', knowledgeBaseId);
    const base = await this.#base(knowledgeBaseId);
    if (base === undefined) return undefined;
    const [sources, indexing] = await Promise.all([
      this.getSources(knowledgeBaseId),
      this.getIndexingProgress(knowledgeBaseId),
    ]);
    const sum = (field: (source: SourceState) => number): number =>
      sources.reduce((total, source) => total + field(source), 0);
    const synced = sources.flatMap(({ lastSync }) => lastSync?.getTime() ?? []);
    const times = [...synced, ...(indexing?.updatedAt === undefined ? [] : [indexing.updatedAt.getTime()])];
    return {
      ...summaryOf(knowledgeBaseId, base.value),
      totalDocuments: sum(({ documentsSynced }) => documentsSynced),
      failedDocuments: sum(({ documentsFailed }) => documentsFailed),
      totalEmbeddings: sum(({ embeddings }) => embeddings),
      lastUpdated: times.length === 0 ? undefined : new Date(Math.max(...times)),
      storageSizeMb: sum(({ storageBytes }) => storageBytes) / 2 ** 20,
      isStale: sources.some(({ isStale }) => isStale),
      sources: sources.length,
      indexing: indexing as IndexingProgress,
    };
  }

  /** An item of a source; undefined if there is none. */
  async getItem(knowledgeBaseId: string, sourceId: string, itemId: string): Promise<ItemState | undefined> {
    for (const [what, id] of Object.entries({ knowledgeBaseId, sourceId })) checkedName('getItem', what, id);
    checkArgument('getItem', 'itemId', itemId, is.text);
    const store = await this.#place.store();
    const key = [this.#place.prefix, knowledgeBaseId, sourceId, itemPart(itemId)];
    const [entry] = await store.read(itemRows, [key]);
    return entry && itemOf(sourceId, entry.value);
  }

  /** Items of a source, page by page. */
  async getItems(
    knowledgeBaseId: string,
    sourceId: string,
    options: KnowledgePageOptions = {},
  ): Promise<{ readonly items: readonly ItemState[]; readonly cursor: string | undefined }> {
    for (const [what, id] of Object.entries({ knowledgeBaseId, sourceId })) checkedName('getItems', what, id);
    checkGiven('getItems', options, pages);
    const { limit = 100 } = options;
    const store = await this.#place.store();
    const range = { prefix: [this.#place.prefix, knowledgeBaseId, sourceId] };
    const { entries, cursor } = await store.scan(itemRows, range, { limit, cursor: options.cursor });
    return { items: entries.map(({ value }) => itemOf(sourceId, value)), cursor };
  }

  /** The progress of a knowledge base, and again whenever it changes. */
  async *watch(
    knowledgeBaseId: string,
    options: { readonly since?: number | undefined; readonly signal?: AbortSignal | undefined } = {},
  ): AsyncGenerator<IndexingProgress, void, undefined> {
    checkedName('watch', 'knowledgeBaseId', knowledgeBaseId);
    checkGiven('watch', options, { since: is.count, signal: is.signal });
    const store = await this.#place.store();
    const signals = [this.#closing.signal, ...(options.signal === undefined ? [] : [options.signal])];
    const since = options.since ?? (await store.revision());
    const first = await this.getIndexingProgress(knowledgeBaseId);
    if (first !== undefined) yield first;
    const changes = store.follow({
      collections: progressSources,
      range: { prefix: [this.#place.prefix, knowledgeBaseId] },
      since,
      signal: AbortSignal.any(signals),
    });
    for await (const _ of changes) {
      const progress = await this.getIndexingProgress(knowledgeBaseId);
      if (progress === undefined) return;
      yield progress;
    }
  }

  /**
   * Calls `callback` with the progress of a knowledge base whenever it changes, in any process, and with what it was when it was told
   * before. For one knowledge base, or those whose ids match a pattern. Returns the function that ends it.
   */
  async subscribe(
    pattern: KeyPattern,
    callback: ChangeCallback<IndexingProgress>,
    options: EventOptions = {},
  ): Promise<() => void> {
    const { matches } = keyMatcher(pattern);
    const followed: Followed<IndexingProgress> = {
      store: () => this.#place.store(),
      collections: progressSources,
      nameOf: ({ key: [prefix, base] }) =>
        prefix === this.#place.prefix && matches(String(base)) ? String(base) : undefined,
      look: (base) => this.getIndexingProgress(base),
      closing: this.#closing.signal,
    };
    return subscribeToChanges(followed, callback, options);
  }

  /** Stops what this manager indexes; committed items stay, and another process can go on. */
  async close(): Promise<void> {
    this.#closing.abort(
      new StateConflictError('This manager was closed; the source can be indexed further elsewhere.'),
    );
    await Promise.allSettled(this.#running);
    await this.#keeper.close();
    await this.#place.close();
  }

  /** @internal As if this process had died. */
  abandon(): void {
    this.#isAbandoned = true;
    this.#closing.abort();
    this.#keeper.abandon();
  }

  async #claim(base: string, source: string, lost: () => void): Promise<Lease | undefined> {
    const store = await this.#place.store();
    const key = [this.#place.prefix, base, source];
    const [item] = await store.read(runItems, [key]);
    if (item === undefined)
      await store.commit([
        {
          checks: [{ kind: 'absent', collection: runItems, key }],
          writes: [{ kind: 'put', collection: runItems, key, value: {} }],
        },
      ]);
    await this.#keeper.expireDead(runItems);
    const [claimed] = await this.#keeper.claim(runItems, { prefix: key }, lost);
    return claimed?.lease;
  }

  async #heldError(base: string, source: string): Promise<Error> {
    const [holder] = await this.#keeper.live(runItems, { prefix: [this.#place.prefix, base, source] });
    return new StateConflictError(
      `index: the process '${holder?.owner ?? 'unknown'}' is indexing the source '${source}' of '${base}'. One process at a time does that.`,
      { knowledgeBase: base, source, owner: holder?.owner },
    );
  }

  /** The sources of a knowledge base, or one of them. */
  async #sources(base: string, source?: string): Promise<readonly KnownSource[]> {
    const store = await this.#place.store();
    const prefix = [this.#place.prefix, base, ...(source === undefined ? [] : [source])];
    const scan = <Value>(collection: RecordCollection<Value>) =>
      store.scan(collection, { prefix }, { limit: maxSources });
    const [sources, runs, progress, leases] = await Promise.all([
      scan(sourceRows),
      scan(runRows),
      scan(progressRows),
      this.#keeper.live(runItems, { prefix }),
    ]);
    const running = new Set(leases.map(({ key }) => key[2] as string));
    const runOf = new Map(runs.entries.map(({ key, value }) => [key[2] as string, value]));
    const progressOfSource = new Map(progress.entries.map(({ key, value }) => [key[2] as string, value]));
    return sources.entries.map(({ key, value }) => {
      const sourceId = key[2] as string;
      return {
        sourceId,
        row: value,
        run: runOf.get(sourceId),
        reported: progressOfSource.get(sourceId),
        isRunning: running.has(sourceId),
      };
    });
  }

  /** Makes the knowledge base if there is none; says whether it did. */
  async #makeBase(
    base: string,
    {
      name,
      metadata = {},
    }: { readonly name?: string | undefined; readonly metadata?: BaseRow['metadata'] | undefined } = {},
  ): Promise<boolean> {
    const store = await this.#place.store();
    const key = [this.#place.prefix, base];
    return this.#change(`The knowledge base '${base}'`, async () => {
      const [known] = await store.read(baseRows, [key]);
      if (known?.value.isDeleted === true) await this.#finishDeleting(store, base);
      else if (known !== undefined) return undefined;
      const value: BaseRow = {
        ...(name === undefined ? {} : { name }),
        metadata,
        created: this.#place.clock.now(),
      };
      return {
        checks: [{ kind: 'absent', collection: baseRows, key }],
        writes: [{ kind: 'put', collection: baseRows, key, value }],
      };
    });
  }

  async #makeSource(base: string, source: string): Promise<void> {
    const store = await this.#place.store();
    const key = [this.#place.prefix, base, source];
    await this.#change(`The source '${source}'`, async () => {
      const [known] = await store.read(sourceRows, [key]);
      if (known !== undefined) return undefined;
      const range = { prefix: [this.#place.prefix, base] };
      if ((await store.scan(sourceRows, range, { limit: maxSources })).entries.length === maxSources)
        throw new StateArgumentError(`The knowledge base '${base}' has ${maxSources} sources already.`, { base });
      const value: SourceRow = { created: this.#place.clock.now(), metadata: {} };
      return {
        checks: [{ kind: 'absent', collection: sourceRows, key }],
        writes: [{ kind: 'put', collection: sourceRows, key, value }],
      };
    });
  }

  async #finishDeleting(store: Store, base: string): Promise<void> {
    const range = { prefix: [this.#place.prefix, base] };
    const all: readonly Collection[] = [
      postingRows,
      documentRows,
      itemRows,
      runRows,
      runItems,
      progressRows,
      sourceRows,
      baseRows,
    ];
    for (const collection of all) await removeRange(store, collection, range);
  }

  async #base(base: string): Promise<Entry<BaseRow> | undefined> {
    const store = await this.#place.store();
    const [entry] = await store.read(baseRows, [[this.#place.prefix, base]]);
    return entry?.value.isDeleted === true ? undefined : entry;
  }

  async #knownBase(base: string): Promise<Entry<BaseRow>> {
    const entry = await this.#base(base);
    if (entry === undefined)
      throw new StateNotFoundError(`There is no knowledge base '${base}'.`, { knowledgeBaseId: base });
    return entry;
  }

  async #mustGetState(base: string): Promise<KnowledgeBaseState> {
    const state = await this.getKnowledgeBaseState(base);
    if (state === undefined)
      throw new StateNotFoundError(`There is no knowledge base '${base}'.`, { knowledgeBaseId: base });
    return state;
  }

  async #report(
    base: string,
    what: string,
    idempotencyKey: string | undefined,
    contents: unknown,
    plan: (time: number) => Promise<Part>,
  ): Promise<void> {
    const store = await this.#place.store();
    const { prefix, clock } = this.#place;
    await this.#change(`The report of the ${what}`, async () => {
      const time = clock.now();
      // Marks outlive a knowledge base that is deleted, and must not count for the next one of its name.
      const scope = `${what} since ${(await this.#knownBase(base)).value.created}`;
      const mark = await once(store, { prefix, scope, idempotencyKey, contents, time });
      return mark && mergeParts(mark, await plan(time));
    });
  }

  /** Whether there was something to change. */
  #change(what: string, plan: () => Promise<Part | undefined>): Promise<boolean> {
    return this.#changes.make(what, async () => {
      const part = await plan();
      return { value: part !== undefined, part };
    });
  }
}

interface Part {
  readonly checks: readonly Check[];
  readonly writes: readonly Write[];
}

function checkOf(collection: Collection, key: Key, entry: { readonly revision: number } | undefined): Check {
  return entry === undefined
    ? { kind: 'absent', collection, key }
    : { kind: 'revision', collection, key, revision: entry.revision };
}

function summaryOf(knowledgeBaseId: string, { name, created, metadata }: BaseRow): KnowledgeBaseSummary {
  return { knowledgeBaseId, name, createdAt: new Date(created), metadata };
}

/** Without the fields that were not given. */
function defined<Fields extends object>(fields: Fields): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]?: Exclude<Fields[Name], undefined>;
  };
}
