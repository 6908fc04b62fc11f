// Seeded random choices, so that failures of random tests are reproducible.

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A number from 0 to 1 (exclusive). */
  next(): number {
    // Mulberry32: small, and good enough for choosing test cases.
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `min` to `max`. */
  whole(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<Choice>(choices: readonly [Choice, ...Choice[]] | readonly Choice[]): Choice {
    return choices[this.whole(0, choices.length - 1)] as Choice;
  }

  /** Some of the choices, each at most once, in any order. */
  some<Choice>(choices: readonly Choice[], count: number): Choice[] {
    const left = [...choices];
    const picked: Choice[] = [];
    while (picked.length < count && left.length > 0) picked.push(...left.splice(this.whole(0, left.length - 1), 1));
    return picked;
  }
}
