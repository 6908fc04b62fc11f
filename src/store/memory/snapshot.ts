// A snapshot of contents in memory. It lists what is there now; values never change, so only the lists are copied.
import type { KnownCollection } from '../engine/engine.ts';
import type { LogRow } from '../engine/log.ts';
import type { Snapshot, SnapshotState, StoredVersion } from '../engine/snapshot.ts';
import type { CollectionId, StoredEntry } from '../engine/stored.ts';
import type { EncodedKey } from '../key.ts';
import type { Revision } from '../store.ts';
import type { Contents } from './contents.ts';

const pageRows = 1000;
const pageBytes = 4 * 1024 * 1024;

interface Lists {
  /** In key order. */
  readonly entries: readonly StoredEntry[];
  /** In the order of keys, and of the revisions that replaced them. */
  readonly versions: readonly StoredVersion[];
}

export class MemorySnapshot implements Snapshot {
  readonly state: SnapshotState;
  readonly collections: readonly KnownCollection[];
  readonly #log: readonly LogRow[];
  readonly #lists: ReadonlyMap<CollectionId, Lists>;

  constructor(contents: Contents) {
    this.state = { revision: contents.head, horizon: contents.horizon, token: contents.token };
    this.collections = contents.tables.map(({ known }) => known);
    this.#log = [...contents.log];
    this.#lists = new Map(
      contents.tables.map((table) => [
        table.known.id,
        {
          entries: [...table.entries({ lower: '' as EncodedKey, upper: '\xff' as EncodedKey })],
          versions: [...table.versions()].map(({ entry, until }) => ({ ...entry, until })).toSorted(inOrder),
        },
      ]),
    );
  }

  count(): Promise<number> {
    let count = this.#log.length;
    for (const { entries, versions } of this.#lists.values()) count += entries.length + versions.length;
    return Promise.resolve(count);
  }

  log(after: Revision): Promise<readonly LogRow[]> {
    const start = Math.max(0, after - this.state.horizon);
    return Promise.resolve(this.#log.slice(start, start + pageRows));
  }

  entries(collection: CollectionId, after: EncodedKey | undefined): Promise<readonly StoredEntry[]> {
    const { entries } = this.#of(collection);
    return Promise.resolve(page(entries, after === undefined ? 0 : firstWhere(entries, ({ key }) => key > after)));
  }

  versions(
    collection: CollectionId,
    after: { readonly key: EncodedKey; readonly until: Revision } | undefined,
  ): Promise<readonly StoredVersion[]> {
    const { versions } = this.#of(collection);
    const start = after === undefined ? 0 : firstWhere(versions, (version) => inOrder(version, after) > 0);
    return Promise.resolve(page(versions, start));
  }

  read(collection: CollectionId, keys: readonly EncodedKey[]): Promise<readonly StoredEntry[]> {
    const { entries } = this.#of(collection);
    return Promise.resolve(
      keys.flatMap((wanted) => {
        const found = entries[firstWhere(entries, ({ key }) => key >= wanted)];
        return found?.key === wanted ? [found] : [];
      }),
    );
  }

  readVersions(
    collection: CollectionId,
    replaced: readonly { readonly key: EncodedKey; readonly until: Revision }[],
  ): Promise<readonly StoredVersion[]> {
    const { versions } = this.#of(collection);
    return Promise.resolve(
      replaced.flatMap((wanted) => {
        const found = versions[firstWhere(versions, (version) => inOrder(version, wanted) >= 0)];
        return found !== undefined && inOrder(found, wanted) === 0 ? [found] : [];
      }),
    );
  }

  damaged(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #of(collection: CollectionId): Lists {
    return this.#lists.get(collection) as Lists;
  }
}

function page<Row extends StoredEntry>(rows: readonly Row[], start: number): readonly Row[] {
  let end = start;
  for (let bytes = 0; end < rows.length && end - start < pageRows && bytes < pageBytes; end++)
    bytes += (rows[end] as Row).value.length;
  return rows.slice(start, end);
}

function inOrder(
  a: { readonly key: EncodedKey; readonly until: Revision },
  b: { readonly key: EncodedKey; readonly until: Revision },
): number {
  if (a.key === b.key) return a.until - b.until;
  return a.key < b.key ? -1 : 1;
}

/** The index of the first row for which this holds, and then for all after it. */
function firstWhere<Row>(rows: readonly Row[], holds: (row: Row) => boolean): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(rows[middle] as Row)) high = middle;
    else low = middle + 1;
  }
  return low;
}
