// The same object for the same id, for as long as somebody holds it.

export class Identities {
  readonly #held = new Map<string, WeakRef<object>>();
  readonly #gone = new FinalizationRegistry<string>((id) => {
    // It may have been made again since.
    if (this.#held.get(id)?.deref() === undefined) this.#held.delete(id);
  });

  get(id: string, make: () => object): object {
    const held = this.#held.get(id)?.deref();
    if (held !== undefined) return held;
    const made = make();
    this.#held.set(id, new WeakRef(made));
    this.#gone.register(made, id);
    return made;
  }
}
