// Counts items by kind as they pass.
import type { SnapshotItem } from '../engine/snapshot.ts';
import type { Revision } from '../store.ts';
import type { MoveReport } from './progress.ts';

const names = { entry: 'entries', version: 'versions', logged: 'changes', removed: 'removed' } as const;

export class ItemCount {
  readonly #counts = { entries: 0, versions: 0, changes: 0, removed: 0 };

  get total(): number {
    const { entries, versions, changes, removed } = this.#counts;
    return entries + versions + changes + removed;
  }

  add(items: readonly SnapshotItem[]): void {
    for (const { kind } of items) this.#counts[names[kind]]++;
  }

  report(revision: Revision): MoveReport {
    return { revision, ...this.#counts };
  }
}
