// Wakes those who wait for a workspace to change, in this process or through the store in another one.
import { after, type Clock } from '../base/clock.ts';
import type { Revision, Store } from '../store/door.ts';
import { readyRows, workspaceRows } from './rows.ts';

/** Stands for all of them; no workspace has this name. */
export const anyWorkspace = '';

/** How long after changes could not be followed any more it is tried again. */
const retryMilliseconds = 100;

export class Wakes {
  readonly #store: Store;
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #closing = new AbortController();
  /** Resolved when changes are followed; undefined while they are not. */
  #listening: Promise<void> | undefined;

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

  /** Resolves when every change from then on is heard of, whichever process makes it. Whoever looks before that may miss one. */
  async listen(): Promise<void> {
    await (this.#listening ??= this.#follow());
  }

  /**
   * Resolves at the next change of the workspace, when the next timer is due, or when this is closed. Ask for it before
   * looking, and after `listen`: what happens in between would wake nobody.
   */
  async next(workspace: string, nextTimer: Promise<number | undefined>, clock: Clock): Promise<void> {
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
    this.#wakeAll();
  }

  #wakeAll(): void {
    for (const workspace of this.#waiting.keys()) this.wake(workspace);
  }

  async #follow(): Promise<void> {
    try {
      const since = await this.#store.revision();
      void this.#hear(since);
    } catch (error) {
      this.#listening = undefined;
      throw error;
    }
  }

  async #hear(since: Revision): Promise<void> {
    const collections = [readyRows, workspaceRows];
    try {
      for await (const { changes } of this.#store.follow({ collections, since, signal: this.#closing.signal }))
        for (const { key } of changes) this.wake(String(key[0]));
    } catch {
      // Those who wait look again, listen anew, and are told by that what is wrong with the store, if it still is.
      setTimeout(() => {
        this.#listening = undefined;
        this.#wakeAll();
      }, retryMilliseconds);
    }
  }
}
