// The options of the file engine.
import type { Clock } from '../../base/clock.ts';

/** Options of the file engine. */
export interface FileOptions {
  /** How records are written; default: `json`. Records of either format are read. */
  readonly format?: 'json' | 'msgpack' | undefined;
  /** How records are compressed; `true` is `zstd`; default: not at all. Records of any kind are read. */
  readonly compression?: boolean | 'gzip' | 'zstd' | undefined;
  /**
   * `full` (the default): an acknowledged commit survives a power failure.
   * `relaxed`: it survives a crash of the process, but a power failure may lose the latest commits, never a part of one.
   */
  readonly durability?: 'full' | 'relaxed' | undefined;
  /** The number of commits whose changes and superseded versions are kept; default: all, until `prune` is called. */
  readonly keepChanges?: number | undefined;
}

export interface OpenFileOptions extends FileOptions {
  readonly clock?: Clock | undefined;
  /** For tests: the shortest journal that is replaced by a snapshot. */
  readonly minJournalBytes?: number | undefined;
}
