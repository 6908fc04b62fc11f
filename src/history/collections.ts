// The store collections of the history.
import { bytesCollection, recordCollection } from '../store/door.ts';
import type { StoredRecord } from './commit-record.ts';
import type { BootHash, CommitHash } from './history.ts';
import type { Sealed } from './seal.ts';

export interface ChainRecord {
  readonly chain: string;
  readonly boot: BootHash;
  /** The commit a fork started at. */
  readonly origin: { readonly chain: string; readonly sequence: number } | null;
  /** The chain from which all its forks descend. Only chains of one family share packs. */
  readonly family: string;
  /** Removed, but its packs are still needed; until they are collected, its name cannot be reused. */
  readonly removed: boolean;
}

export interface TagRecord {
  readonly name: string;
  readonly hash: CommitHash;
  readonly sequence: number;
  readonly time: number;
}

/** The pack of a dropped commit: removed when no kept commit is rebuilt from it. */
export interface LeftoverRecord {
  readonly parts: number;
  readonly storedBytes: number;
}

export interface BootRecord {
  /** The hash of the pack with the image. */
  readonly pack: string;
  readonly parts: number;
  readonly storedBytes: number;
}

export interface CollectorRecord {
  /** The number of collections, so that each start changes the record. */
  readonly run: number;
}

/** [chain] */
export const chains = recordCollection<Sealed<ChainRecord>>('history_chains');
/** [chain, sequence] */
export const commits = recordCollection<StoredRecord>('history_commits');
/** [chain, beginning of the hash] → sequence */
export const hashes = recordCollection<number>('history_hashes', { small: true });
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
