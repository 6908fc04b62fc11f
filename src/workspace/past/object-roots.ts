// Which durable objects programs hold: in variables of any commit that is kept, and in what calls were given and have
// returned. Those are not collected.
import { unlessRemoved } from '../../history/door.ts';
import { scanAll, type Revision } from '../../store/door.ts';
import type { WorkspaceContext } from '../context.ts';
import { HandleTable } from '../bridge/handle-table.ts';
import { loadText } from '../large-texts.ts';
import { futureRows, heldRows, metadataOf, signalRows, workspaceRows } from '../rows.ts';

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
    let cursor: string | undefined;
    do {
      const from = cursor === undefined ? {} : { cursor };
      const page = await unlessRemoved(() => history.list(value.id, { limit: 1000, ...from }));
      if (page === undefined) break;
      for (const { metadata } of page.commits) {
        const { held } = metadataOf({ metadata }).state;
        if (held !== undefined) lists.add(held);
      }
      ({ cursor } = page);
      const last = page.commits.at(-1);
      if (cursor === undefined && last !== undefined) {
        const revision = await history.revisionOf(last);
        oldest = oldest === undefined ? revision : Math.min(oldest, revision);
        oldestTime = Math.min(oldestTime ?? last.time, last.time);
      }
    } while (cursor !== undefined);
  }
  return { lists, oldest, oldestTime };
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
