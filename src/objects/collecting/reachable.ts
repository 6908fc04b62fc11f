// Who refers to whom, in numbers: about 150 bytes for each object (its id, mostly) and 16 for each reference, so that a
// million objects are marked in memory while the store is only read from one end to the other.
import type { Pace } from './pace.ts';

const there = 1;
const kept = 2;
const gone = 4;

const stepsPerTurn = 50_000;

export interface Dangling {
  readonly from: number;
  readonly to: number;
}

export class ReferenceGraph {
  /** The text of each object's id, by its number. */
  readonly texts: string[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #flags: number[] = [];
  /** The references of an object are a chain through `#next`, beginning at `#first`; 0 is the end. */
  readonly #first: number[] = [];
  readonly #next: number[] = [0];
  readonly #targets: number[] = [0];

  /** The number of an object, whether it is there or not. */
  numberOf(text: string): number {
    let number = this.#numbers.get(text);
    if (number === undefined) {
      number = this.texts.length;
      this.#numbers.set(text, number);
      this.texts.push(text);
      this.#flags.push(0);
      this.#first.push(0);
    }
    return number;
  }

  find(text: string): number | undefined {
    return this.#numbers.get(text);
  }

  get size(): number {
    return this.texts.length;
  }

  setThere(number: number): void {
    this.#flags[number] = this.#flagsOf(number) | there;
  }

  isThere(number: number): boolean {
    return (this.#flagsOf(number) & there) !== 0;
  }

  /** Somebody else removed it. */
  setGone(number: number): void {
    this.#flags[number] = this.#flagsOf(number) | gone;
  }

  isGone(number: number): boolean {
    return (this.#flagsOf(number) & gone) !== 0;
  }

  /** It must not be removed. */
  isKept(number: number): boolean {
    return (this.#flagsOf(number) & kept) !== 0;
  }

  connect(from: number, to: number): void {
    this.#next.push(this.#first[from] as number);
    this.#targets.push(to);
    this.#first[from] = this.#next.length - 1;
  }

  /** Keeps these objects and all they lead to. References that lead nowhere are told of as they are met. */
  async keep(starts: readonly number[], pace: Pace, onDangling?: (dangling: Dangling) => void): Promise<void> {
    const open: number[] = [];
    const reach = (number: number): void => {
      if (this.isKept(number)) return;
      this.#flags[number] = this.#flagsOf(number) | kept;
      open.push(number);
    };
    for (const start of starts) reach(start);
    let steps = 0;
    for (let from = open.pop(); from !== undefined; from = open.pop()) {
      for (let link = this.#first[from] as number; link !== 0; link = this.#next[link] as number) {
        const to = this.#targets[link] as number;
        if (onDangling !== undefined && !this.isThere(to)) onDangling({ from, to });
        reach(to);
        if (++steps % stepsPerTurn === 0) await pace.step('mark', stepsPerTurn);
      }
    }
  }

  #flagsOf(number: number): number {
    return this.#flags[number] as number;
  }
}
