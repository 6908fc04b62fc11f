// What this process wrote last under some keys, so that changing one again need not read it first: the commit finds out whether
// anybody else has changed it since.
import type { Entry } from '../../store/door.ts';
import type { EntryRow } from './rows.ts';

const maxRows = 1000;
/** Larger rows are read again; so all of them together take a few megabytes. */
const maxSize = 4096;

export class RecentRows {
  /** The last one in the map is the one used last. */
  readonly #rows = new Map<string, Entry<EntryRow>>();

  get(key: string): Entry<EntryRow> | undefined {
    const row = this.#rows.get(key);
    if (row === undefined) return undefined;
    this.#rows.delete(key);
    this.#rows.set(key, row);
    return row;
  }

  set(key: string, row: Entry<EntryRow>): void {
    this.#rows.delete(key);
    if (sizeUpTo(maxSize, row.value) > maxSize) return;
    this.#rows.set(key, row);
    if (this.#rows.size > maxRows) this.#rows.delete(this.#rows.keys().next().value as string);
  }

  delete(key: string): void {
    this.#rows.delete(key);
  }
}

/** About how many bytes a value takes; counting ends when there are more than so many. */
function sizeUpTo(most: number, value: unknown): number {
  if (typeof value === 'string') return 16 + value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let size = 16;
  for (const key in value) {
    size += key.length + sizeUpTo(most - size, (value as Record<string, unknown>)[key]);
    if (size > most) break;
  }
  return size;
}
