// What people have to answer or decide, found without looking at anything else that is waited for: an index of open futures, kept
// in the commits that ask for them and end them.
import {
  readUndamaged,
  scanAll,
  scanUndamaged,
  StoreCorruptError,
  type Entry,
  type Key,
  type Store,
  type Write,
} from '../../store/door.ts';
import { futureRows, isOpen, questionRows, type FutureRow } from '../rows.ts';

/** A future somebody has to decide about: a question of the program, a call before it is made, or one in doubt. */
export type Decidable = FutureRow & { readonly kind: 'call' | 'approve' };

export function isUndecided(future: FutureRow): future is Decidable {
  if (!isOpen(future)) return false;
  return (
    future.kind === 'approve' || (future.kind === 'call' && (future.approval === 'needed' || future.doubt === true))
  );
}

/** Somebody has to answer or decide. */
export function isQuestion(future: FutureRow): boolean {
  return future.kind === 'ask' ? isOpen(future) : isUndecided(future);
}

/** Where a question is in the index. */
export function questionKey({ created, workspace, number }: FutureRow): Key {
  return ['asked', created, workspace, number];
}

/** From then on people find it, if it is for them. */
export function askedOfPeople(future: FutureRow): Write[] {
  if (!isQuestion(future)) return [];
  const { workspace, number } = future;
  return [{ kind: 'put', collection: questionRows, key: questionKey(future), value: { workspace, number } }];
}

/** From then on nobody finds it. The future is given as it was while it was open. */
export function withdrawnFromPeople(future: FutureRow): Write[] {
  return isQuestion(future) ? [{ kind: 'remove', collection: questionRows, key: questionKey(future) }] : [];
}

/** Everything that people have to answer or decide, page by page. */
export async function* questions(
  store: Store,
  order: 'newest' | 'oldest',
): AsyncGenerator<readonly Entry<FutureRow>[], void, undefined> {
  let cursor: string | undefined;
  do {
    const page = await questionPage(store, { limit: 200, cursor, reverse: order === 'newest' });
    const futures = await readFutures(
      store,
      page.entries.map(({ key }) => key.slice(2)),
    );
    yield futures.filter(({ value }) => isQuestion(value));
    ({ cursor } = page);
  } while (cursor !== undefined);
}

/** A page; if one of its entries is damaged, all the others at once. */
async function questionPage(
  store: Store,
  options: { readonly limit: number; readonly cursor: string | undefined; readonly reverse: boolean },
): Promise<{ readonly entries: readonly Entry<unknown>[]; readonly cursor: string | undefined }> {
  const range = { prefix: ['asked'] };
  try {
    return await store.scan(questionRows, range, options);
  } catch (error) {
    if (!(error instanceof StoreCorruptError)) throw error;
  }
  const entries: Entry<unknown>[] = [];
  for await (const entry of scanUndamaged(store, questionRows, range, () => undefined)) entries.push(entry);
  return { entries: options.reverse ? entries.toReversed() : entries, cursor: undefined };
}

const builtKey = ['built'];
const atOnce = 500;

/**
 * Puts the futures of a store from before this index into it, once. A process that dies over it leaves nothing half: whoever opens the
 * store next begins again. What other processes ask and end meanwhile they put in and take out themselves.
 */
export async function buildQuestions(store: Store): Promise<void> {
  const [built] = await store.read(questionRows, [builtKey]);
  if (built !== undefined) return;
  let some: Key[] = [];
  for await (const { key, value } of scanAll(store, futureRows, {})) {
    if (isQuestion(value)) some.push(key);
    if (some.length < atOnce) continue;
    await enter(store, some);
    some = [];
  }
  await enter(store, some);
  await store.commit([{ writes: [{ kind: 'put', collection: questionRows, key: builtKey, value: null }] }]);
}

/** Each only if it is still as it was read; those that somebody has changed are read again. */
async function enter(store: Store, keys: readonly Key[]): Promise<void> {
  let left = keys;
  while (left.length > 0) {
    const open = (await readFutures(store, left)).filter(({ value }) => isQuestion(value));
    const results = await store.commit(
      open.map(({ key, revision, value }) => ({
        checks: [{ kind: 'revision', collection: futureRows, key, revision }],
        writes: askedOfPeople(value),
      })),
    );
    left = open.filter((_, index) => results[index]?.status !== 'committed').map(({ key }) => key);
  }
}

async function readFutures(store: Store, keys: readonly Key[]): Promise<readonly Entry<FutureRow>[]> {
  const entries = await readUndamaged(store, futureRows, keys, () => undefined);
  return entries.filter((entry) => entry !== undefined);
}
