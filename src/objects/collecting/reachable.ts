// The reference graph in numbers: about 150 bytes per object (mostly its id) and 16 per reference. So a million objects can
// be marked in memory after one sequential read of the store.
import type { Pace } from './pace.ts';

const presentFlag = 1;
const keptFlag = 2;
const goneFlag = 4;

const stepsPerTurn = 50_000;

export interface Dangling {
  readonly from: number;
  readonly to: number;
}

export class ReferenceGraph {
  /** The id of each object, by number. */
  readonly texts: string[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #flags: number[] = [];
  /** The references of an object form a linked list through `#next`, starting at `#first`; 0 is the end. */
  readonly #first: number[] = [];
  readonly #next: number[] = [0];
  readonly #targets: number[] = [0];

  /** The number of an object, whether it exists or not. */
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
    this.#flags[number] = this.#flagsOf(number) | presentFlag;
  }

  isThere(number: number): boolean {
    return (this.#flagsOf(number) & presentFlag) !== 0;
  }

  /** Another process removed it. */
  setGone(number: number): void {
    this.#flags[number] = this.#flagsOf(number) | goneFlag;
  }

  isGone(number: number): boolean {
    return (this.#flagsOf(number) & goneFlag) !== 0;
  }

  /** It must not be removed. */
  isKept(number: number): boolean {
    return (this.#flagsOf(number) & keptFlag) !== 0;
  }

  /** It exists, and nothing is known that keeps it. */
  isRemovable(number: number): boolean {
    return (this.#flagsOf(number) & (presentFlag | keptFlag | goneFlag)) === presentFlag;
  }

  connect(from: number, to: number): void {
    this.#next.push(this.#first[from] as number);
    this.#targets.push(to);
    this.#first[from] = this.#next.length - 1;
  }

  /** The first reference of an object; 0 if it has none. */
  firstLink(number: number): number {
    return this.#first[number] as number;
  }

  /** The next reference of the same object; 0 after the last. */
  nextLink(link: number): number {
    return this.#next[link] as number;
  }

  targetOf(link: number): number {
    return this.#targets[link] as number;
  }

  /** Marks these objects and everything reachable from them as kept. Reports dangling references on the way. */
  async keep(starts: readonly number[], pace: Pace, onDangling?: (dangling: Dangling) => void): Promise<void> {
    const open: number[] = [];
    const reach = (number: number): void => {
      if (this.isKept(number)) return;
      this.#flags[number] = this.#flagsOf(number) | keptFlag;
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
