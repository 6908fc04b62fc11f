// The options of the embedded engine.
import type { Clock } from '../../base/clock.ts';

/** Options of the embedded engine. */
export interface SqliteOptions {
  /**
   * `full` (the default): a commit that was acknowledged survives a power cut.
   * `relaxed`: it survives the end of the process, but a power cut may take the latest commits with it; never half of one.
   */
  readonly durability?: 'full' | 'relaxed' | undefined;
  /** How long a commit waits for other processes' writes before `StoreBusyError`; default: 10,000. */
  readonly busyMilliseconds?: number | undefined;
  /** Memory for cached pages of the file, in MiB; default: 64. */
  readonly cacheMegabytes?: number | undefined;
}

export interface OpenSqliteOptions extends SqliteOptions {
  readonly clock?: Clock | undefined;
}
