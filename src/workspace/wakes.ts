// Wakes those who wait for a workspace to change, in this process or through the store in another one.
import { after, type Clock } from '../base/clock.ts';
import type { Store } from '../store/store.ts';
import { readyRows, workspaceRows } from './rows.ts';

/** Stands for all of them; no workspace has this name. */
export const anyWorkspace = '';

export class Wakes {
  readonly #store: Store;
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #closing = new AbortController();
  #following = false;

  constructor(store: Store) {
    this.#store = store;
  }

  wake(workspace: string): void {
    for (const name of [workspace, anyWorkspace]) {
      const waiting = this.#waiting.get(name);
      this.#waiting.delete(name);
      for (const resolve of waiting ?? []) resolve();
    }
  }

  /** Resolves at the next change of the workspace, when the next timer is due, or when this is closed. */
  async next(workspace: string, nextTimer: Promise<number | undefined>, clock: Clock): Promise<void> {
    this.#follow();
    let cancel: (() => void) | undefined;
    const changed = new Promise<void>((resolve) => {
      const waiting = this.#waiting.get(workspace) ?? new Set();
      waiting.add(resolve);
      this.#waiting.set(workspace, waiting);
    });
    const due = await nextTimer;
    const waits = [changed];
    if (due !== undefined) {
      const milliseconds = Math.min(Math.max(0, due - clock.now()), 2 ** 31 - 1);
      waits.push(new Promise((resolve) => (cancel = after(clock, milliseconds, resolve))));
    }
    await Promise.race(waits);
    cancel?.();
  }

  close(): void {
    this.#closing.abort();
    for (const workspace of this.#waiting.keys()) this.wake(workspace);
  }

  #follow(): void {
    if (this.#following) return;
    this.#following = true;
    void (async () => {
      for await (const { changes } of this.#store.follow({
        collections: [readyRows, workspaceRows],
        signal: this.#closing.signal,
      })) {
        for (const { key } of changes) this.wake(String(key[0]));
      }
    })().catch(() => {
      this.#following = false;
    });
  }
}
