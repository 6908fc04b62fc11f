// The latest log rows in memory. Range checks mostly look back a few revisions, which this process wrote itself; only
// missing rows are read from the file.
import type { LogRow } from '../engine/log.ts';
import type { Revision } from '../store.ts';

const minRows = 2048;

export class RecentLog {
  readonly #readAfter: (revision: Revision) => readonly LogRow[];
  /** Committed rows, without gaps. */
  #rows: LogRow[] = [];

  constructor(readAfter: (revision: Revision) => readonly LogRow[]) {
    this.#readAfter = readAfter;
  }

  add(row: LogRow): void {
    const last = this.#rows.at(-1);
    if (last !== undefined && row.revision !== last.revision + 1) this.#rows = [];
    this.#rows.push(row);
    if (this.#rows.length > 2 * minRows) this.#rows.splice(0, this.#rows.length - minRows);
  }

  /** The rows after `since`, up to `head`. */
  after(since: Revision, head: Revision): readonly LogRow[] {
    const first = this.#rows[0]?.revision;
    const last = this.#rows.at(-1)?.revision;
    if (first === undefined || last !== head || since < first - 1) {
      const rows = this.#readAfter(since);
      this.#rows = rows.slice(-minRows);
      return rows;
    }
    return this.#rows.slice(since - first + 1);
  }
}
