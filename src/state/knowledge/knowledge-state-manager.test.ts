// Knowledge on one store in memory, with a clock that the test moves.
import { expect, it, onTestFinished } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { openStore } from '../../store/open.ts';
import type { Store } from '../../store/store.ts';
import { KnowledgeStateManager, type KnowledgeStateManagerOptions } from './knowledge-state-manager.ts';
import type { SourceItem } from './records.ts';
import { documentRows, itemRows, postingRows } from './rows.ts';

const base = 'company';
const to = { knowledgeBase: base };

function manager(options: KnowledgeStateManagerOptions = {}): KnowledgeStateManager {
  const knowledge = new KnowledgeStateManager({ store: 'memory:', ...options });
  onTestFinished(() => knowledge.close());
  return knowledge;
}

async function shared(): Promise<{ readonly store: Store; readonly clock: ManualClock }> {
  const clock = new ManualClock(1_000_000);
  const store = await openStore('memory:', { clock });
  onTestFinished(() => store.close());
  return { store, clock };
}

const pages = (...texts: readonly string[]): SourceItem[] =>
  texts.map((content, index) => ({ id: `page-${index}`, content }));

it('indexes what changed, skips the rest, and removes what vanished', async () => {
  const { store, clock } = await shared();
  const knowledge = manager({ store, clock });
  const handled: string[] = [];
  const handler = (item: SourceItem) => {
    handled.push(item.id);
    return { embeddings: 3 };
  };
  const first = pages('the red fox', 'a blue bird', 'the red fox jumps over the blue bird');
  expect(await knowledge.index('site', first, handler, to)).toEqual({
    indexed: 3,
    unchanged: 0,
    failed: 0,
    removed: 0,
  });
  expect(handled).toHaveLength(3);
  const second = pages('the red fox', 'a green bird');
  expect(await knowledge.index('site', second, handler, to)).toEqual({
    indexed: 1,
    unchanged: 1,
    failed: 0,
    removed: 1,
  });
  expect(handled).toEqual(['page-0', 'page-1', 'page-2', 'page-1']);
  const found = async (query: string): Promise<string[]> =>
    (await knowledge.search(base, query)).results.map(({ itemId }) => itemId);
  expect(await found('bird')).toEqual(['page-1']);
  expect(await found('blue')).toEqual([]);
  expect(await found('GREEN fox')).toEqual(expect.arrayContaining(['page-0', 'page-1']));
  expect(await knowledge.getKnowledgeBaseState(base)).toMatchObject({
    totalDocuments: 2,
    totalEmbeddings: 6,
    failedDocuments: 0,
    sources: 1,
    lastUpdated: new Date(1_000_000),
    indexing: { status: 'completed', processedDocuments: 2, totalDocuments: 2 },
  });
  expect((await knowledge.getKnowledgeBaseState(base))?.storageSizeMb).toBeCloseTo(23 / 2 ** 20, 9);
  await knowledge.deleteSource(base, 'site');
  for (const collection of [postingRows, documentRows, itemRows])
    expect((await store.scan(collection, {})).entries).toEqual([]);
});

it('ranks as BM25 does: rare words count more, long documents less', async () => {
  const knowledge = manager();
  await knowledge.index(
    'site',
    [
      ...Array.from({ length: 40 }, (_, index) => ({ id: `common-${index}`, content: 'the invoice of the customer' })),
      { id: 'rare', content: 'the kumquat of the customer', title: 'Fruit' },
      { id: 'long', content: `kumquat ${'words and more words '.repeat(200)}` },
    ],
    undefined,
    to,
  );
  const { results, matches } = await knowledge.search(base, 'Kumquat customer?', { limit: 3 });
  expect(results.map(({ itemId }) => itemId).slice(0, 2)).toEqual(['rare', 'long']);
  expect(results[0]).toMatchObject({ sourceId: 'site', title: 'Fruit', snippet: 'the kumquat of the customer' });
  expect(matches).toBe(42);
  expect((await knowledge.search(base, 'fruit')).results[0]?.itemId).toBe('rare');
  expect((await knowledge.search(base, '?!')).results).toEqual([]);
  await expect(knowledge.search('none', 'x')).rejects.toMatchObject({ code: 'STATE_NOT_FOUND' });
});

it('finds words of any language, without case and accents', async () => {
  const knowledge = manager();
  const texts = ['Das Café an der Straße', '東京都に住んでいます', 'сёстры и братья', "the baker's bread"];
  await knowledge.index('site', pages(...texts), undefined, to);
  const first = async (query: string): Promise<string | undefined> =>
    (await knowledge.search(base, query)).results[0]?.itemId;
  expect(await first('CAFE')).toBe('page-0');
  expect(await first('東京')).toBe('page-1');
  expect(await first('Братья')).toBe('page-2');
  expect(await first('bread')).toBe('page-3');
});

it('keeps failures, and tries them again', async () => {
  const knowledge = manager();
  let isBroken = true;
  const handler = ({ id }: SourceItem) => {
    if (isBroken && id === 'page-1') throw new Error('no text in it');
    return undefined;
  };
  expect(await knowledge.index('site', pages('one', 'two'), handler, to)).toMatchObject({ indexed: 1, failed: 1 });
  expect(await knowledge.getItem(base, 'site', 'page-1')).toMatchObject({
    status: 'failed',
    error: 'Error: no text in it',
  });
  expect(await knowledge.getSources(base)).toMatchObject([
    { sourceId: 'site', syncStatus: 'synced', documentsSynced: 1, documentsFailed: 1 },
  ]);
  isBroken = false;
  expect(await knowledge.index('site', pages('one', 'two'), handler, to)).toMatchObject({ indexed: 1, unchanged: 1 });
  expect((await knowledge.getKnowledgeBaseState(base))?.failedDocuments).toBe(0);
  // A version that fails leaves the one before it searchable.
  isBroken = true;
  expect(await knowledge.index('site', pages('one', 'changed'), handler, to)).toMatchObject({ failed: 1 });
  expect((await knowledge.search(base, 'two')).results).toHaveLength(1);
  expect((await knowledge.getItems(base, 'site')).items.map(({ status }) => status)).toEqual(['indexed', 'failed']);
});

it('lets one process run a source, and another go on after it', async () => {
  const { store, clock } = await shared();
  const [first, second] = [manager({ store, clock }), manager({ store, clock })];
  const keys = new Map<string, string[]>();
  let isStuck = true;
  let reached = (): void => undefined;
  const stuck = new Promise<void>((resolve) => (reached = resolve));
  const handler = async (
    { id }: SourceItem,
    { idempotencyKey, signal }: { idempotencyKey: string; signal: AbortSignal },
  ) => {
    keys.set(id, [...(keys.get(id) ?? []), idempotencyKey]);
    if (!isStuck || id !== 'page-2') return;
    reached();
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))));
  };
  const items = pages('one', 'two', 'three', 'four');
  const running = first.index('site', items, handler, { ...to, concurrency: 1 });
  running.catch(() => undefined);
  await stuck;
  await expect(second.index('site', items, handler, to)).rejects.toMatchObject({ code: 'STATE_CONFLICT' });
  while ((await second.getIndexingProgress(base))?.processedDocuments !== 2)
    await new Promise((resolve) => setImmediate(resolve));
  clock.advance(2000);
  expect(await second.getIndexingProgress(base)).toMatchObject({
    status: 'in_progress',
    totalDocuments: 4,
    processedDocuments: 2,
    estimatedCompletion: new Date(1_004_000),
  });
  clock.advance(4000);
  expect((await second.getIndexingProgress(base))?.status).toBe('interrupted');
  isStuck = false;
  expect(await second.index('site', items, handler, to)).toEqual({ indexed: 2, unchanged: 2, failed: 0, removed: 0 });
  expect(keys.get('page-0')).toHaveLength(1);
  expect(new Set(keys.get('page-2')).size).toBe(1);
  expect(keys.get('page-2')).toHaveLength(2);
  await first.close();
  await expect(running).rejects.toMatchObject({ code: 'STATE_CONFLICT' });
  expect((await second.getIndexingProgress(base, { source: 'site' }))?.resumed).toBe(1);
});

it('stops at the signal and goes on later', async () => {
  const knowledge = manager();
  const stop = new AbortController();
  const handler = ({ id }: SourceItem) => {
    if (id === 'page-1') stop.abort(new Error('enough'));
  };
  const items = pages('one', 'two', 'three');
  const options = { ...to, concurrency: 1, signal: stop.signal };
  await expect(knowledge.index('site', items, handler, options)).rejects.toThrow('enough');
  expect((await knowledge.getIndexingProgress(base))?.status).toBe('interrupted');
  const report = await knowledge.index('site', items, undefined, to);
  expect(report.indexed + report.unchanged).toBe(3);
});

it('estimates by the pace of the process that works on it now, also after a long break', async () => {
  const { store, clock } = await shared();
  const knowledge = manager({ store, clock });
  const items = pages('one', 'two', 'three', 'four');
  const stop = new AbortController();
  const stopping = { ...to, concurrency: 1, signal: stop.signal };
  await expect(knowledge.index('site', items, () => stop.abort(new Error('enough')), stopping)).rejects.toThrow(
    'enough',
  );
  clock.advance(10 * 3_600_000);
  const [reached, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const running = knowledge.index(
    'site',
    items,
    async ({ id }) => {
      if (id !== 'page-3') return;
      reached.resolve();
      await end.promise;
    },
    { ...to, concurrency: 1 },
  );
  await reached.promise;
  clock.advance(3000);
  while ((await knowledge.getIndexingProgress(base))?.processedDocuments !== 3)
    await new Promise((resolve) => setImmediate(resolve));
  expect((await knowledge.getIndexingProgress(base))?.estimatedCompletion).toEqual(new Date(clock.now() + 1000));
  // A clock that is set back makes no estimate in the past.
  clock.advance(-3_600_000);
  expect((await knowledge.getIndexingProgress(base))?.estimatedCompletion).toEqual(new Date(clock.now()));
  end.resolve();
  await running;
});

it('says why a run was interrupted, and fails items whose handler returns nonsense', async () => {
  const knowledge = manager();
  const broken = (function* () {
    yield { id: 'one', content: 'one' };
    throw new Error('The source is gone.');
  })();
  await expect(knowledge.index('site', broken, undefined, to)).rejects.toThrow('The source is gone.');
  expect(await knowledge.getIndexingProgress(base)).toMatchObject({
    status: 'interrupted',
    error: 'Error: The source is gone.',
  });
  for (const wrong of [null, { content: 'no id' }, { id: 'a', content: 5 }])
    await expect(knowledge.index('site', [wrong as never], undefined, to)).rejects.toMatchObject({
      code: 'INVALID_OPTION',
    });
  // Items may have more than an index needs, for their handlers.
  const items = [
    { id: 'a', content: 'x', url: 'https://example.org' },
    { id: 'b', content: 'y', url: '' },
  ];
  const report = await knowledge.index(
    'site',
    items,
    ({ id }) => (id === 'a' ? { text: 'fine' } : ({ text: 5 } as never)),
    to,
  );
  expect(report).toMatchObject({ indexed: 1, failed: 1 });
  expect((await knowledge.getItem(base, 'site', 'b'))?.error).toContain("option 'text' must be a text, not 5");
  expect(await knowledge.getIndexingProgress(base)).toMatchObject({ status: 'completed', error: undefined });
});

it('derives what is reported from outside', async () => {
  const { store, clock } = await shared();
  const knowledge = manager({ store, clock });
  const progress = {
    knowledgeBaseId: 'docs',
    status: 'in_progress',
    totalDocuments: 1000,
    processedDocuments: 450,
    failedDocuments: 5,
    startedAt: new Date(clock.now() - 450_000),
  } as const;
  expect(await knowledge.updateIndexingProgress(progress)).toMatchObject({
    processedDocuments: 450,
    origin: 'reported',
    estimatedCompletion: new Date(clock.now() + 550_000),
  });
  const source = { sourceId: 'wiki', knowledgeBaseId: 'docs', staleAfter: 60_000 };
  await knowledge.updateSourceState({
    ...source,
    syncStatus: 'synced',
    lastSync: new Date(clock.now()),
    documentsSynced: 250,
  });
  expect(await knowledge.getSources('docs')).toMatchObject([
    { syncStatus: 'synced', documentsSynced: 250, isStale: false },
  ]);
  clock.advance(60_000);
  expect(await knowledge.getSources('docs')).toMatchObject([{ syncStatus: 'stale', isStale: true }]);
  expect(await knowledge.getKnowledgeBaseState('docs')).toMatchObject({ totalDocuments: 250, isStale: true });
  const keyed = { ...source, documentsSynced: 300, idempotencyKey: 'k' };
  await knowledge.updateSourceState(keyed);
  await knowledge.updateSourceState({ ...source, documentsSynced: 310 });
  expect((await knowledge.updateSourceState(keyed)).documentsSynced).toBe(310);
  await expect(knowledge.updateSourceState({ ...keyed, documentsSynced: 1 })).rejects.toMatchObject({
    code: 'STATE_CONFLICT',
  });
});

it('makes, lists and deletes knowledge bases, and refuses mistakes', async () => {
  const { store, clock } = await shared();
  const knowledge = manager({ store, clock });
  await knowledge.createKnowledgeBase('a', { name: 'First', metadata: { owner: 'ann' } });
  await knowledge.index('site', pages('one two'), undefined, { knowledgeBase: 'b' });
  await expect(knowledge.createKnowledgeBase('a')).rejects.toMatchObject({ code: 'STATE_CONFLICT' });
  const { knowledgeBases } = await knowledge.listKnowledgeBases();
  expect(knowledgeBases).toMatchObject([{ knowledgeBaseId: 'a', name: 'First' }, { knowledgeBaseId: 'b' }]);
  await knowledge.deleteKnowledgeBase('b');
  expect(await knowledge.getKnowledgeBaseState('b')).toBeUndefined();
  expect((await store.scan(postingRows, {})).entries).toEqual([]);
  const twice = [...pages('one'), ...pages('one')];
  await expect(knowledge.index('site', twice, undefined, to)).rejects.toMatchObject({ code: 'STATE_ARGUMENT' });
  await expect(knowledge.index('other', [{ id: 'x' }], undefined, to)).rejects.toMatchObject({
    code: 'STATE_ARGUMENT',
  });
  await expect(knowledge.deleteKnowledgeBase('none')).rejects.toMatchObject({ code: 'STATE_NOT_FOUND' });
});

it('tells how far it is while it runs', async () => {
  const { store, clock } = await shared();
  const [worker, watcher] = [manager({ store, clock }), manager({ store, clock })];
  await worker.createKnowledgeBase(base);
  const statuses: string[] = [];
  const watching = (async () => {
    for await (const { status } of watcher.watch(base)) {
      statuses.push(status);
      if (status === 'completed') return;
    }
  })();
  async function* slowly(): AsyncGenerator<SourceItem, void, undefined> {
    for (const item of pages('one', 'two')) {
      await new Promise((resolve) => setImmediate(resolve));
      yield item;
    }
  }
  await worker.index('site', slowly(), undefined, { ...to, total: 2 });
  await watching;
  expect(statuses[0]).toBe('pending');
  expect(statuses.at(-1)).toBe('completed');
});
