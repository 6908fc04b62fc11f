// Rows that belong only to commits that are no longer kept: steps, console lines, outcomes of calls. What a kept commit waits for or
// may be taken back to stays; the console of a program begins with the oldest commit that is kept.
import { setImmediate } from 'node:timers/promises';
import { scanAll, type Collection, type Key, type Store } from '../../store/door.ts';
import type { Commit } from '../../history/door.ts';
import type { WorkspaceContext } from '../context.ts';
import { largeTextRows } from '../large-texts.ts';
import type { KeptHistory } from '../owners.ts';
import { consoleRows, futureId, futureRows, isOpen, metadataOf, stepRows, type WorkspaceRow } from '../rows.ts';

const atOnce = 200;

/** Returns how many rows were removed. It may be killed at any point and done again. */
export async function trimWorkspace(context: WorkspaceContext, row: WorkspaceRow): Promise<number> {
  const { store, owners } = context;
  const { id } = row;
  const kept = await keptOf(context, id);
  if (kept === undefined) return 0;
  const { oldest, hashes, waiting } = kept;
  const before = await store.revision();
  for (const reference of row.state.waiting) waiting.add(futureId(reference));
  let removed = await removeRows(store, consoleRows, keysOf(store, consoleRows, [id], [id, oldest.sequence]));
  removed += await removeRows(store, stepRows, oldSteps(store, id, oldest));
  removed += await removeRows(store, futureRows, oldFutures(store, id, oldest, waiting));
  removed += await owners.trim(id, { oldest, hashes });
  if (removed > 0) removed += await sweepTexts(context, id, before);
  return removed;
}

async function keptOf(
  { history }: WorkspaceContext,
  id: string,
): Promise<(KeptHistory & { readonly waiting: Set<string> }) | undefined> {
  const hashes = new Set<string>();
  const waiting = new Set<string>();
  let oldest: Commit | undefined;
  let cursor: string | undefined;
  do {
    const page = await history.list(id, { limit: 1000, ...(cursor === undefined ? {} : { cursor }) });
    for (const commit of page.commits) {
      hashes.add(commit.hash);
      for (const reference of metadataOf(commit).state.waiting) waiting.add(futureId(reference));
      // Those of the program a fork came from are that program's.
      if (commit.chain === id) oldest = commit;
    }
    ({ cursor } = page);
    await setImmediate();
  } while (cursor !== undefined);
  return oldest && { oldest, hashes, waiting };
}

/** Steps that ended before the oldest commit. */
async function* oldSteps(store: Store, id: string, oldest: Commit): AsyncGenerator<Key, void, undefined> {
  for await (const { key, value } of scanAll(store, stepRows, { prefix: [id] })) {
    const isOver = value.status === 'done' || value.status === 'failed';
    if (!isOver || (value.commits?.[1] ?? 0) >= oldest.sequence) return;
    yield key;
  }
}

/** Futures that were settled before the oldest commit, and that neither a kept commit nor a fork waits for. */
async function* oldFutures(
  store: Store,
  id: string,
  oldest: Commit,
  waiting: ReadonlySet<string>,
): AsyncGenerator<Key, void, undefined> {
  for await (const { key, value } of scanAll(store, futureRows, { prefix: [id] })) {
    if (value.created >= oldest.time) return;
    const isOld = (value.settled ?? value.created) < oldest.time;
    if (isOld && !isOpen(value) && value.sharedWith.length === 0 && !waiting.has(futureId(value))) yield key;
  }
}

async function* keysOf(store: Store, collection: Collection, from: Key, to: Key): AsyncGenerator<Key, void, undefined> {
  for await (const { key } of scanAll(store, collection, { from, to })) yield key;
}

/** Removes rows in small transactions, so that nobody waits long for them. */
export async function removeRows(store: Store, collection: Collection, keys: AsyncIterable<Key>): Promise<number> {
  let removed = 0;
  let some: Key[] = [];
  const remove = async (): Promise<void> => {
    if (some.length === 0) return;
    await store.commit([{ writes: some.map((key) => ({ kind: 'remove', collection, key })) }]);
    removed += some.length;
    some = [];
    await setImmediate();
  };
  for await (const key of keys) {
    some.push(key);
    if (some.length >= atOnce) await remove();
  }
  await remove();
  return removed;
}

/** Large texts that no row names any more. One that is written again meanwhile has another revision, and stays. */
async function sweepTexts({ store, owners }: WorkspaceContext, id: string, before: number): Promise<number> {
  const needed = new Set<string>();
  const look = (value: unknown): void => {
    for (const [, hash] of JSON.stringify(value).matchAll(/@([\w-]{43}):\d/g)) needed.add(hash as string);
  };
  for await (const { value } of scanAll(store, futureRows, { prefix: [id] })) look(value);
  for await (const value of owners.rowsOf(id)) look(value);
  let removed = 0;
  for await (const { key, revision } of scanAll(store, largeTextRows, { prefix: [id] })) {
    if (revision > before || needed.has(String(key[1]))) continue;
    const place = { collection: largeTextRows, key };
    const [result] = await store.commit([
      { checks: [{ kind: 'revision', ...place, revision }], writes: [{ kind: 'remove', ...place }] },
    ]);
    if (result?.status === 'committed') removed++;
  }
  return removed;
}
