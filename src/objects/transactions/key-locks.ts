// Locks by key within one process, for transactions that keep conflicting. Acquired in key order to avoid deadlocks.

export class KeyLocks {
  readonly #last = new Map<string, Promise<void>>();

  /** Resolves when all keys are locked; returns a function that releases them. */
  async acquire(keys: readonly string[]): Promise<() => void> {
    const releases: (() => void)[] = [];
    for (const key of [...new Set(keys)].toSorted()) {
      const before = this.#last.get(key);
      let release: () => void = () => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      const mine = (before ?? Promise.resolve()).then(() => held);
      this.#last.set(key, mine);
      releases.push(() => {
        release();
        if (this.#last.get(key) === mine) this.#last.delete(key);
      });
      await before;
    }
    return () => {
      for (const release of releases) release();
    };
  }
}
