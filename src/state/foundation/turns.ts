// One at a time, by name: calls of this process that would only make each other try again wait for each other instead.

export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  async take<Result>(name: string, action: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(name) ?? Promise.resolve();
    const turn = before.then(action, action);
    const settled = turn.catch(() => undefined);
    this.#last.set(name, settled);
    try {
      return await turn;
    } finally {
      if (this.#last.get(name) === settled) this.#last.delete(name);
    }
  }
}
