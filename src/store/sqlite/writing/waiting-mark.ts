// A file beside the database with the time at which a process last waited for the write lock. It is written in place and
// never synced: creating and deleting files would dirty the folder and slow down every sync.
import { closeSync, constants, openSync, readSync, statSync, writeSync } from 'node:fs';

// A waiting process updates the mark this often …
const refreshMilliseconds = 3;
// … and an older mark belongs to one that got the lock or died.
const lifeMilliseconds = 15;

export class WaitingMark {
  readonly #path: string;
  readonly #time = new Float64Array(1);
  readonly #bytes = new Uint8Array(this.#time.buffer);
  #file: number | undefined;
  #lastSet = 0;
  #lastLook = -refreshMilliseconds;

  constructor(database: string) {
    this.#path = `${database}-waiting`;
  }

  /** Marks this process as waiting. Never throws, because only fairness depends on it. */
  set(): void {
    const now = Date.now();
    if (now - this.#lastSet < refreshMilliseconds) return;
    this.#lastSet = now;
    try {
      this.#file ??= this.#open();
      this.#time[0] = now;
      writeSync(this.#file, this.#bytes, 0, this.#bytes.length, 0);
    } catch {
      this.close();
    }
  }

  // Creates the file if missing, but never truncates it: another process may just have written to it.
  #open(): number {
    return openSync(this.#path, constants.O_RDWR | constants.O_CREAT, 0o666);
  }

  /** Whether a process has waited recently. */
  isFresh(): boolean {
    if (this.#file === undefined && !this.#isThere()) return false;
    try {
      this.#file ??= this.#open();
      if (readSync(this.#file, this.#bytes, 0, this.#bytes.length, 0) < this.#bytes.length) return false;
      return Math.abs(Date.now() - (this.#time[0] ?? 0)) < lifeMilliseconds;
    } catch {
      this.#file = undefined;
      return false;
    }
  }

  /** There is no file until a process has waited. As often as that process updates it is often enough to look. */
  #isThere(): boolean {
    const now = performance.now();
    if (now - this.#lastLook < refreshMilliseconds) return false;
    this.#lastLook = now;
    // Cheaper than a failed open.
    return statSync(this.#path, { throwIfNoEntry: false }) !== undefined;
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
