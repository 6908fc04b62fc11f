// Everything in a snapshot, or everything that changed since a revision, as items in pages.
import type { LogRow } from '../engine/log.ts';
import type { Snapshot, SnapshotItem } from '../engine/snapshot.ts';
import type { CollectionId } from '../engine/stored.ts';
import { StoreArgumentError, StoreRevisionGoneError } from '../errors.ts';
import type { EncodedKey } from '../key.ts';
import type { Revision } from '../store.ts';

/** Everything: the change log, then each collection. */
export async function* allItems(snapshot: Snapshot): AsyncGenerator<readonly SnapshotItem[], void, undefined> {
  const { horizon } = snapshot.state;
  for await (const rows of logPages(snapshot, horizon)) yield rows.map((row) => ({ kind: 'logged', row }));
  for (const { id, definition } of snapshot.collections) {
    let after: EncodedKey | undefined;
    for (;;) {
      const entries = await snapshot.entries(id, after);
      if (entries.length === 0) break;
      after = entries.at(-1)?.key;
      yield entries.map((entry) => ({ kind: 'entry', collection: id, entry }));
    }
    if (definition.keeps === 'versions') yield* versionItems(snapshot, id, horizon);
  }
}

async function* versionItems(
  snapshot: Snapshot,
  id: CollectionId,
  horizon: Revision,
): AsyncGenerator<readonly SnapshotItem[], void, undefined> {
  let after: { readonly key: EncodedKey; readonly until: Revision } | undefined;
  for (;;) {
    const versions = await snapshot.versions(id, after);
    if (versions.length === 0) return;
    after = versions.at(-1);
    // Pruning removes what is before the horizon step by step.
    yield versions
      .filter(({ until }) => until > horizon)
      .map((version) => ({ kind: 'version', collection: id, version }));
  }
}

/**
 * What changed after a revision, found by walking the change log. An entry belongs to the change that wrote it last, and a superseded
 * one to the change that replaced it, so each is found once and nothing has to be remembered.
 */
export async function* changedItems(
  snapshot: Snapshot,
  since: Revision,
): AsyncGenerator<readonly SnapshotItem[], void, undefined> {
  checkSince(snapshot, since);
  for await (const rows of logPages(snapshot, since)) {
    yield rows.map((row) => ({ kind: 'logged', row }));
    for (const [id, changes] of changesByCollection(rows)) yield* changesOf(snapshot, id, changes);
  }
}

export function checkSince({ state: { revision, horizon } }: Snapshot, since: Revision): void {
  if (since > revision)
    throw new StoreArgumentError(
      `There is no revision ${since} to continue from: the store is at ${revision}. It is another store, or an older state of it. Make a full backup.`,
      { since, revision },
    );
  if (since < horizon)
    throw new StoreRevisionGoneError(
      `What changed since revision ${since} was pruned; the oldest revision to continue from is ${horizon}. Make a full backup.`,
      { revision: since, horizon },
    );
}

interface KeyChange {
  readonly key: EncodedKey;
  readonly revision: Revision;
  readonly isRemoval: boolean;
}

function changesByCollection(rows: readonly LogRow[]): ReadonlyMap<CollectionId, readonly KeyChange[]> {
  const found = new Map<CollectionId, KeyChange[]>();
  for (const { revision, changes } of rows)
    for (const { kind, collection, key } of changes) {
      if (kind === 'released') continue;
      const list = found.get(collection) ?? [];
      list.push({ key, revision, isRemoval: kind === 'remove' });
      found.set(collection, list);
    }
  return found;
}

const keysAtOnce = 100;

async function* changesOf(
  snapshot: Snapshot,
  id: CollectionId,
  changes: readonly KeyChange[],
): AsyncGenerator<readonly SnapshotItem[], void, undefined> {
  const keepsVersions = snapshot.collections.find((known) => known.id === id)?.definition.keeps === 'versions';
  for (let start = 0; start < changes.length; start += keysAtOnce) {
    const some = changes.slice(start, start + keysAtOnce);
    const keys = [...new Set(some.map(({ key }) => key))];
    const entries = new Map((await snapshot.read(id, keys)).map((entry) => [entry.key, entry]));
    const items: SnapshotItem[] = [];
    for (const { key, revision, isRemoval } of some) {
      const entry = entries.get(key);
      if (entry?.revision === revision) items.push({ kind: 'entry', collection: id, entry });
      else if (entry === undefined && isRemoval) items.push({ kind: 'removed', collection: id, key });
    }
    if (keepsVersions) {
      const replaced = some.map(({ key, revision }) => ({ key, until: revision }));
      for (const version of await snapshot.readVersions(id, replaced))
        items.push({ kind: 'version', collection: id, version });
    }
    yield items;
  }
}

export async function* logPages(
  snapshot: Snapshot,
  after: Revision,
): AsyncGenerator<readonly LogRow[], void, undefined> {
  let position = after;
  while (position < snapshot.state.revision) {
    const rows = await snapshot.log(position);
    if (rows.length === 0) return;
    position = rows.at(-1)?.revision ?? position;
    yield rows;
  }
}
