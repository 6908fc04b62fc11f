// How many calls of one function are made at once. Those that have to wait are made in the order in which they came.

interface Slots {
  taken: number;
  readonly waiting: (() => void)[];
}

export class CallSlots {
  readonly #slots = new Map<object, Slots>();

  /** Resolves when the function may be called, with what must be called afterwards. */
  async take(called: object, most: number | undefined): Promise<() => void> {
    if (most === undefined) return () => undefined;
    const slots = this.#slots.get(called) ?? { taken: 0, waiting: [] };
    this.#slots.set(called, slots);
    if (slots.taken >= most) await new Promise<void>((resolve) => slots.waiting.push(resolve));
    else slots.taken++;
    return () => {
      // The place goes to the next one in line without ever being free.
      const next = slots.waiting.shift();
      if (next !== undefined) next();
      else if (--slots.taken === 0) this.#slots.delete(called);
    };
  }
}
