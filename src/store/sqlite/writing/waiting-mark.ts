// A mark beside the database that says when a process last waited for the write lock. It is written in place and never
// synced: making and removing files would put the folder into every sync and make all commits slower.
import { closeSync, constants, openSync, readSync, statSync, writeSync } from 'node:fs';

// A waiting process tells so this often …
const refreshMilliseconds = 3;
// … and a mark older than this is of one that was served meanwhile, or died.
const lifeMilliseconds = 15;

export class WaitingMark {
  readonly #path: string;
  readonly #time = new Float64Array(1);
  readonly #bytes = new Uint8Array(this.#time.buffer);
  #file: number | undefined;
  #left = 0;

  constructor(database: string) {
    this.#path = `${database}-waiting`;
  }

  /** Says that this process waits. Only others' fairness depends on it, so it never fails. */
  leave(): void {
    const now = Date.now();
    if (now - this.#left < refreshMilliseconds) return;
    this.#left = now;
    try {
      this.#file ??= this.#open();
      this.#time[0] = now;
      writeSync(this.#file, this.#bytes, 0, this.#bytes.length, 0);
    } catch {
      this.close();
    }
  }

  // Made if it is not there, and never cut: another process may have written to it just now.
  #open(): number {
    return openSync(this.#path, constants.O_RDWR | constants.O_CREAT, 0o666);
  }

  /** Whether somebody has waited a moment ago. */
  isFresh(): boolean {
    // As long as nobody has ever waited, there is no file; asking for it costs less than failing to open it.
    if (this.#file === undefined && statSync(this.#path, { throwIfNoEntry: false }) === undefined) return false;
    try {
      this.#file ??= this.#open();
      if (readSync(this.#file, this.#bytes, 0, this.#bytes.length, 0) < this.#bytes.length) return false;
      return Math.abs(Date.now() - (this.#time[0] ?? 0)) < lifeMilliseconds;
    } catch {
      this.#file = undefined;
      return false;
    }
  }

  close(): void {
    if (this.#file === undefined) return;
    const file = this.#file;
    this.#file = undefined;
    try {
      closeSync(file);
    } catch {}
  }
}
