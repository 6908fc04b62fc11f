// How the newest image of a chain is rebuilt, and what has changed since each pack that a larger one could replace. A head
// keeps it in memory, so that the next commit can be prepared without reading.
import { ChangedWords } from './changed-words.ts';
import type { Runs } from './measure-change.ts';
import type { Address } from './path.ts';

/**
 * 0: the change of one commit. 1 and 2: all changes since the last pack of at least that level, which they are applied
 * to. 3: all changes since the boot image.
 */
export type Level = 0 | 1 | 2 | 3;

/** What a pack takes from its base, and gives to packs whose base it is. */
export interface PackEnd {
  readonly header: Uint8Array;
  /** With which packs are compressed. A boot image has none. */
  readonly dictionary: Uint8Array | undefined;
}

export interface PathEntry {
  readonly address: Address;
  readonly hash: string;
  readonly level: Level;
  /** The uncompressed size of the pack's words. */
  readonly wordBytes: number;
  readonly pages: number;
}

interface Change {
  readonly runs: Runs;
  readonly keep: number;
}

/** How many numbers of runs may be pending before they are merged. */
const maxPending = 16 * 1024;

/** Merges changed words lazily: most programs that are resumed for one slice never need them. */
class PendingWords {
  readonly #words: ChangedWords;
  #pending: Change[] = [];
  #numbers = 0;

  constructor(keep: number) {
    this.#words = new ChangedWords(keep);
  }

  add(change: Change): void {
    this.#pending.push({ runs: change.runs, keep: change.keep });
    this.#numbers += change.runs.length;
    if (this.#numbers > maxPending) this.all();
  }

  all(): ChangedWords {
    for (const change of this.#pending) this.#words.add(change);
    this.#pending = [];
    this.#numbers = 0;
    return this.#words;
  }
}

export class Lineage {
  #path: readonly PathEntry[] = [];
  readonly #boot: PackEnd;
  /** What a new pack of level 0, 1 or 2 would apply to; undefined: the boot image. */
  readonly #ends: [PackEnd?, PackEnd?, PackEnd?] = [];
  /** The words that a pack of level 1, 2 or 3 would contain now. */
  readonly #changed: [PendingWords, PendingWords, PendingWords];

  constructor(bootPages: number, bootHeader: Uint8Array) {
    this.#boot = { header: bootHeader, dictionary: undefined };
    this.#changed = [new PendingWords(bootPages), new PendingWords(bootPages), new PendingWords(bootPages)];
  }

  get path(): readonly PathEntry[] {
    return this.#path;
  }

  /** The packs before a new one of this level, which applies to the last of them or the boot image. */
  before(level: Level): readonly PathEntry[] {
    if (level === 0) return this.#path;
    if (level === 3) return [];
    return this.#path.slice(0, this.#path.findLastIndex((entry) => entry.level >= level) + 1);
  }

  /** The end of what a new pack of this level applies to. */
  end(level: Level): PackEnd {
    return (level === 3 ? undefined : this.#ends[level]) ?? this.#boot;
  }

  /** The packs after the last one of at least this level. */
  since(level: Level): readonly PathEntry[] {
    return this.#path.slice(this.#path.findLastIndex((entry) => entry.level >= level) + 1);
  }

  /** How many words a pack of this level would contain now. */
  changedCount(level: 1 | 2 | 3): number {
    return this.#changed[level - 1]?.all().count ?? 0;
  }

  /** The words of a pack of this level that includes `change`. */
  changedWith(level: 1 | 2 | 3, change: Change): ChangedWords {
    const changed = (this.#changed[level - 1] as PendingWords).all().copy();
    changed.add(change);
    return changed;
  }

  /**
   * Appends a pack. `change` is what the last commit changed; for a pack read from the store, where that is unknown, it is
   * the whole pack, which has the same effect.
   */
  append(entry: PathEntry, change: Change, end: PackEnd): void {
    this.#path = [...this.before(entry.level), entry];
    for (const level of [0, 1, 2] as const) if (level <= entry.level) this.#ends[level] = end;
    for (const level of [1, 2, 3] as const) {
      // Changes since the boot image are never reset.
      if (level < 3 && entry.level >= level) this.#changed[level - 1] = new PendingWords(entry.pages);
      else this.#changed[level - 1]?.add(change);
    }
  }
}
