// Detects commits of other processes by watching the write-ahead log for changes.
import { watch, type FSWatcher } from 'node:fs';
import { basename, dirname } from 'node:path';

export class ChangeWatch {
  readonly #file: string;
  readonly #listeners = new Set<() => void>();
  #watcher: FSWatcher | undefined;
  #announced = false;

  constructor(file: string) {
    this.#file = file;
  }

  /** Calls `wake` soon after a commit of any process. */
  add(wake: () => void): () => void {
    this.#listeners.add(wake);
    this.#watcher ??= this.#watch();
    return () => this.#listeners.delete(wake);
  }

  /** Wakes all listeners; several calls in one turn of the event loop count as one. */
  announce(): void {
    if (this.#announced || this.#listeners.size === 0) return;
    this.#announced = true;
    setImmediate(() => {
      this.#announced = false;
      for (const wake of [...this.#listeners]) wake();
    });
  }

  close(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    this.#listeners.clear();
  }

  // If the system has no watches left, followers still see all changes by polling.
  #watch(): FSWatcher | undefined {
    try {
      // Watches the folder, because the log file is created and deleted repeatedly.
      const name = `${basename(this.#file)}-wal`;
      const watcher = watch(dirname(this.#file), { persistent: false }, (_event, changed) => {
        if (changed === name) this.announce();
      });
      watcher.on('error', () => watcher.close());
      return watcher;
    } catch {
      return undefined;
    }
  }
}
