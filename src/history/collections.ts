// What the history keeps in the store, all of it in one place.
import { bytesCollection, recordCollection } from '../store/collection.ts';
import type { CommitRecord } from './commit-record.ts';
import type { BootHash, CommitHash } from './history.ts';
import type { Sealed } from './seal.ts';

export interface ChainRecord {
  readonly chain: string;
  readonly boot: BootHash;
  /** The commit a fork began at. */
  readonly origin: { readonly chain: string; readonly sequence: number } | null;
  /** The chain all forks of forks go back to. Only chains of one family can share packs. */
  readonly family: string;
  /** Removed, and waiting until nobody needs its packs; until then its name cannot be used again. */
  readonly removed: boolean;
}

export interface TagRecord {
  readonly name: string;
  readonly hash: CommitHash;
  readonly sequence: number;
  readonly time: number;
}

/** The pack of a commit that was dropped: it goes when no kept commit is rebuilt from it. */
export interface LeftoverRecord {
  readonly parts: number;
  readonly storedBytes: number;
}

export interface BootRecord {
  /** The hash of the pack that holds the image. */
  readonly pack: string;
  readonly parts: number;
  readonly storedBytes: number;
}

export interface CollectorRecord {
  /** Counts collections, so that each start writes something new. */
  readonly run: number;
}

/** [chain] */
export const chains = recordCollection<Sealed<ChainRecord>>('history_chains');
/** [chain, sequence] */
export const commits = recordCollection<CommitRecord>('history_commits');
/** [chain, hash] → sequence */
export const hashes = recordCollection<number>('history_hashes');
/** [chain, sequence, part] */
export const packs = bytesCollection('history_packs');
/** [chain, name] */
export const tags = recordCollection<Sealed<TagRecord>>('history_tags');
/** [hash] */
export const boots = recordCollection<Sealed<BootRecord>>('history_boots');
/** [hash, part] */
export const bootParts = bytesCollection('history_boot_parts');
/** [chain, sequence] */
export const leftovers = recordCollection<Sealed<LeftoverRecord>>('history_leftovers');
/** ['collector'] */
export const collector = recordCollection<CollectorRecord>('history_collector');

export const collections = [chains, commits, hashes, packs, tags, boots, bootParts, leftovers, collector] as const;
