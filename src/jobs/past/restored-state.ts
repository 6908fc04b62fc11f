// What a layer above is told, and adds, when a job goes back to an older commit or begins at one.
import type { Json } from '../../history/door.ts';
import type { Write } from '../../store/door.ts';
import type { JobRow } from '../rows.ts';

/** Effects since a commit: they were made, and stay made. */
export interface Effects {
  /** Calls of tools and jobs that were started, by the names people know them by. */
  readonly calls: readonly string[];
  /** Calls of the driver's own. */
  readonly driver: readonly string[];
}

/** A job that goes back, or begins, at an older commit. */
export interface Restoring {
  readonly job: JobRow;
  readonly commit: string;
  /** The revision of the store that wrote the commit. */
  readonly revision: number;
  /** What the driver kept then; undefined for commits of stores that did not record it. */
  readonly past: Json | undefined;
  /** A step that had begun and not ended goes on. */
  readonly isRunning: boolean;
  readonly effects: Effects;
  readonly now: number;
  /** The job that begins there; undefined if the job itself goes back. */
  readonly fork?: string;
  /** What that job is made from, where it differs, in the words of the layer above. */
  readonly definition?: Json;
}

export interface Restored {
  readonly state: Json;
  readonly writes: readonly Write[];
}

/** What a job keeps when it goes back to a commit, or begins at one. */
export type Restore = (restoring: Restoring) => Promise<Restored>;
