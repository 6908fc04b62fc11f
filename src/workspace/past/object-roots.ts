// Which durable objects programs hold: in variables of any commit that is kept, and in what calls were given and have
// returned. Those are not collected.
import { HistoryUnknownCommitError, unlessRemoved, type Commit } from '../../history/door.ts';
import { scanAll, type Revision } from '../../store/door.ts';
import type { WorkspaceContext } from '../context.ts';
import { HandleTable } from '../bridge/handle-table.ts';
import { loadText } from '../large-texts.ts';
import { futureRows, heldRows, metadataOf, signalRows, workspaceRows } from '../rows.ts';

/** A commit that is listed each time and never found is damaged. */
const maxTries = 20;

/** What the history of all programs still needs. */
export interface Needed {
  /** Names of the lists of held objects. */
  readonly lists: ReadonlySet<string>;
  /** The store's revision of the oldest commit; undefined if there is no program. */
  readonly oldest: Revision | undefined;
  /** When it was made. */
  readonly oldestTime: number | undefined;
}

export async function neededByCommits({ store, history }: WorkspaceContext): Promise<Needed> {
  const lists = new Set<string>();
  let oldest: Revision | undefined;
  let oldestTime: number | undefined;
  for await (const { value } of scanAll(store, workspaceRows, {})) {
    const found = await oldestCommit(history, value.id, lists);
    if (found === undefined) continue;
    oldest = oldest === undefined ? found.revision : Math.min(oldest, found.revision);
    oldestTime = Math.min(oldestTime ?? found.time, found.time);
  }
  return { lists, oldest, oldestTime };
}

/** The oldest commit of a workspace, unless that is removed meanwhile. Adds the lists that its commits name. */
async function oldestCommit(
  history: WorkspaceContext['history'],
  id: string,
  lists: Set<string>,
): Promise<{ readonly revision: Revision; readonly time: number } | undefined> {
  for (let tries = 1; ; tries++) {
    let oldest: Commit | undefined;
    let cursor: string | undefined;
    do {
      const from = cursor === undefined ? {} : { cursor };
      const page = await unlessRemoved(() => history.list(id, { limit: 1000, ...from }));
      if (page === undefined) return undefined;
      for (const { metadata } of page.commits) {
        const { held } = metadataOf({ metadata }).state;
        if (held !== undefined) lists.add(held);
      }
      oldest = page.commits.at(-1) ?? oldest;
      ({ cursor } = page);
    } while (cursor !== undefined);
    if (oldest === undefined) return undefined;
    try {
      return { revision: await history.revisionOf(oldest), time: oldest.time };
    } catch (error) {
      // It was dropped since, or its workspace was removed; the next look tells which.
      if (!(error instanceof HistoryUnknownCommitError) || tries === maxTries) throw error;
    }
  }
}

/** The ids of all durable objects that programs hold, or will when something they wait for arrives. */
export async function* objectsHeld({ store, owners }: WorkspaceContext): AsyncGenerator<string, void, undefined> {
  yield* owners.objectsHeld();
  for await (const { value } of scanAll(store, heldRows, {})) yield* value;
  for await (const { value } of scanAll(store, workspaceRows, {})) {
    const keys = value.state.waiting.map(({ workspace, number }) => [workspace, number]);
    for (const future of keys.length === 0 ? [] : await store.read(futureRows, keys)) {
      if (future === undefined) continue;
      yield* idsIn(future.value);
      const { workspace, outcome } = future.value;
      const parameters = future.value.kind === 'call' ? future.value.call.parameters : undefined;
      for (const text of [parameters, outcome?.value])
        if (text !== undefined) yield* idsIn(await loadText(store, workspace, text));
    }
  }
  for await (const { value } of scanAll(store, signalRows, {})) yield* idsIn(value);
}

/** Removes lists of held objects that no commit names any more. */
export async function dropLists({ store }: WorkspaceContext, needed: ReadonlySet<string>): Promise<void> {
  for await (const { key, revision } of scanAll(store, heldRows, {})) {
    if (needed.has(String(key[0]))) continue;
    // If a program holds the same objects again meanwhile, it has written the list again, and this is refused.
    await store.commit([
      {
        checks: [{ kind: 'revision', collection: heldRows, key, revision }],
        writes: [{ kind: 'remove', collection: heldRows, key }],
      },
    ]);
  }
}

/** Every text that looks like a handle counts: one too many keeps an object for a while, one too few would lose it. */
function* idsIn(row: unknown): Generator<string, void, undefined> {
  for (const [token] of JSON.stringify(row ?? null).matchAll(/object\.[\w-]+\./g)) {
    const id = HandleTable.durableIdOf(token);
    if (id !== undefined) yield id;
  }
}
