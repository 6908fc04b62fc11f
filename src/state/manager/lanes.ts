// Changes of one key by one process happen one after another, so that they do not conflict with each other.

export class Lanes {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs `action` when everything before it on these keys has ended. */
  run<Result>(keys: readonly string[], action: () => Promise<Result>): Promise<Result> {
    const before = keys.flatMap((key) => this.#last.get(key) ?? []);
    const result = before.length === 0 ? action() : Promise.all(before).then(action);
    const ended: Promise<void> = result.then(
      () => this.#leave(keys, ended),
      () => this.#leave(keys, ended),
    );
    for (const key of keys) this.#last.set(key, ended);
    return result;
  }

  #leave(keys: readonly string[], ended: Promise<void>): void {
    for (const key of keys) if (this.#last.get(key) === ended) this.#last.delete(key);
  }
}
