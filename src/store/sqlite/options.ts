// The options of the SQLite engine.
import type { Clock } from '../../base/clock.ts';

/** Options of the embedded engine. */
export interface SqliteOptions {
  /**
   * `full` (the default): an acknowledged commit survives a power failure.
   * `relaxed`: it survives a crash of the process, but a power failure may lose the latest commits, never a part of one.
   */
  readonly durability?: 'full' | 'relaxed' | undefined;
  /** How long a commit waits for other processes' writes before `StoreBusyError`; default: 10,000. */
  readonly busyMilliseconds?: number | undefined;
  /** Memory for cached pages of the file, in MiB; default: 16. */
  readonly cacheMegabytes?: number | undefined;
}

export interface OpenSqliteOptions extends SqliteOptions {
  readonly clock?: Clock | undefined;
}
