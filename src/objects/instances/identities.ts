// Returns the same object for the same id while the application holds it.

export class Identities {
  readonly #held = new Map<string, WeakRef<object>>();
  readonly #gone = new FinalizationRegistry<string>((id) => {
    // It may have been created again.
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
