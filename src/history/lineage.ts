// How the newest image of a chain is rebuilt, and what has changed since each pack that a larger one could replace.
// It is what a head carries in memory, so that the next commit can be prepared without reading anything.
import { ChangedWords } from './changed-words.ts';
import type { Runs } from './measure-change.ts';
import type { Address } from './path.ts';

export interface PathEntry {
  readonly address: Address;
  readonly hash: string;
  readonly level: number;
  /** What the pack carries, before compression. */
  readonly wordBytes: number;
  readonly pages: number;
}

interface Change {
  readonly runs: Runs;
  readonly keep: number;
}

export class Lineage {
  #path: PathEntry[] = [];
  // The words that changed since the last pack of a higher level than the index; in the last element since the boot image.
  #changed: ChangedWords[];

  constructor(bootPages: number) {
    this.#changed = [new ChangedWords(bootPages)];
  }

  get path(): readonly PathEntry[] {
    return this.#path;
  }

  /** The highest level that the next pack may have. */
  get highestLevel(): number {
    return this.#changed.length;
  }

  /** The packs that a pack of this level would replace. */
  replacedBy(level: number): readonly PathEntry[] {
    return level === 0 ? [] : this.#path.slice(this.#baseLength(level));
  }

  /** What a pack of this level is applied to; undefined is the boot image. */
  baseOf(level: number): PathEntry | undefined {
    return this.#path[this.#baseLength(level) - 1];
  }

  /** How many words such a pack would carry by now. */
  changedSince(level: number): number {
    return (this.#changed[level - 1] as ChangedWords).count;
  }

  /** What a pack of this level must carry if `change` comes on top of all before it. */
  changedWith(level: number, change: Change): ChangedWords {
    const changed = (this.#changed[level - 1] as ChangedWords).copy();
    changed.add(change);
    return changed;
  }

  /**
   * Adds a pack at the end. `change` is what the last commit changed; for a pack read back from the store, where that is
   * not known, it is all that the pack carries, which comes to the same.
   */
  append(entry: PathEntry, change: Change): void {
    this.#path = [...this.#path.slice(0, this.#baseLength(entry.level)), entry];
    while (this.#changed.length <= entry.level) this.#changed.push((this.#changed.at(-1) as ChangedWords).copy());
    this.#changed.forEach((changed, level) => {
      if (level < entry.level) this.#changed[level] = new ChangedWords(entry.pages);
      else changed.add(change);
    });
  }

  // Packs of level 0 follow whatever is last; a larger one follows the last that is at least as large.
  #baseLength(level: number): number {
    if (level === 0) return this.#path.length;
    return this.#path.findLastIndex((entry) => entry.level >= level) + 1;
  }
}
