// How far moving the contents of a store has come.

/** How far a backup, a restore or a copy has come. */
export interface MoveProgress {
  /** Rows, or bytes of the files. */
  readonly unit: 'rows' | 'bytes';
  readonly done: number;
  /** Not exact for an incremental backup. */
  readonly total: number;
}

/** Options of everything that moves the contents of a store. */
export interface MoveOptions {
  /** Called now and then. */
  readonly onProgress?: ((progress: MoveProgress) => void) | undefined;
  /** Stops it; nothing is left behind. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of what reads a whole store. */
export interface ReadWholeOptions extends MoveOptions {
  /** Leaves damaged entries out, and names them in the report, for a store that cannot be repaired. Default: false, and they are an error. */
  readonly skipDamaged?: boolean | undefined;
}

/** What was moved. */
export interface MoveReport {
  /** The revision of the store then. */
  readonly revision: number;
  readonly entries: number;
  /** Superseded entries of collections that keep versions. */
  readonly versions: number;
  /** Rows of the change log. */
  readonly changes: number;
  /** In incremental backups. */
  readonly removed: number;
}
