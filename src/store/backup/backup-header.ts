// What the first piece of a backup says about the rest.
import { createHash } from 'node:crypto';
import type { KnownCollection } from '../engine/engine.ts';
import type { LogRow } from '../engine/log.ts';
import type { Snapshot, SnapshotState } from '../engine/snapshot.ts';
import type { Revision } from '../store.ts';

export interface BackupHeader {
  readonly statek: 'backup';
  readonly version: string;
  readonly engine: string;
  /** ISO time. */
  readonly made: string;
  readonly state: SnapshotState;
  /** In an incremental backup: it has what changed after this revision. */
  readonly since: Revision | undefined;
  readonly collections: readonly KnownCollection[];
  /** What the latest change was, and the one at `since`: tells the histories of two stores apart. Undefined if it was pruned. */
  readonly mark: string | undefined;
  readonly sinceMark: string | undefined;
}

/** Identifies the change that made a revision; undefined if the log does not have it. */
export async function markOf(snapshot: Snapshot, revision: Revision): Promise<string | undefined> {
  if (revision <= snapshot.state.horizon) return undefined;
  const [row] = await snapshot.log(revision - 1);
  return row === undefined ? undefined : rowMark(row, snapshot.collections);
}

/** By the names of collections, which have other numbers in other stores. */
function rowMark({ revision, changes }: LogRow, collections: readonly KnownCollection[]): string {
  const hash = createHash('sha256').update(`${revision}\n`);
  for (const { kind, collection, key } of changes) {
    const name = collections.find(({ id }) => id === collection)?.definition.name ?? '';
    hash.update(`${kind} ${name} ${Buffer.from(key, 'latin1').toString('hex')}\n`);
  }
  return hash.digest('hex');
}
