// Who runs a workspace. By itself a workspace is run by whoever asks for it; a layer above may own it, and then says whose
// lease counts, what wakes the owner, and what is committed together with a slice.
import type { Commit } from '../history/door.ts';
import type { Key, Revision, Store, TransactionPart, WorkCollection } from '../store/door.ts';
import type { HandleTable } from './bridge/handle-table.ts';
import {
  readyRows,
  workspaceRows,
  type CalledTools,
  type CommitMetadata,
  type ConsoleLine,
  type FutureRow,
  type Owner,
  type ProgramState,
  type RequestedKind,
  type StepRow,
} from './rows.ts';
import type { WireMessage } from './wire/wire.ts';

/** The item whose lease says who runs a workspace. */
export interface LeasePlace {
  readonly collection: WorkCollection<unknown>;
  readonly key: Key;
}

/** A workspace that is about to go back to a commit. */
export interface GoingBack {
  readonly workspace: string;
  readonly commit: string;
  /** The step that goes on from there, if one had begun and not ended. */
  readonly current: number | null;
  /** The number of the next thing the program asks for. */
  readonly nextFuture: number;
}

/** What is kept of the history of a program. */
export interface KeptHistory {
  readonly oldest: Commit;
  readonly hashes: ReadonlySet<string>;
}

/** What the layer above knows about the owners of workspaces. Everything here follows from rows of the store. */
export interface WorkspaceOwners {
  leasePlace(workspace: string): Promise<LeasePlace>;
  /** For each workspace, what makes somebody look at it, in this process or another. Workspaces that are gone get nothing. */
  wake(workspaces: readonly string[], now: number): Promise<ReadonlyMap<string, TransactionPart>>;
  /** What makes the owner of a workspace go on with it; undefined if nobody owns it. */
  wakeOwner(workspace: string, now: number): Promise<TransactionPart | undefined>;
  /**
   * Why nobody goes on with a step that the owner gave, as a sentence: they are over. Undefined if somebody does. Without an
   * owner it is a step of whoever has the workspace to themselves.
   */
  whyOver(workspace: string, owner: Owner | undefined): Promise<string | undefined>;
  /** Whether the owner of a step has nothing more to do with the workspace. */
  hasLeft(workspace: string, owner: string): Promise<boolean>;
  /** What is committed together with going back to an older commit. Throws if that is impossible now. */
  goBack(going: GoingBack): Promise<TransactionPart>;
  /** Removes what is kept of the owner only for commits that are no longer kept; returns how many rows. */
  trim(workspace: string, kept: KeptHistory): Promise<number>;
  /** Rows of the owner of a workspace that may name large texts. */
  rowsOf(workspace: string): AsyncIterable<unknown>;
  /** Ids of durable objects that are named in rows of the layer above. */
  objectsHeld(): AsyncIterable<string>;
}

/** A slice that is about to be committed. */
export interface CommittingSlice {
  readonly workspace: string;
  /** The hash its commit will have. */
  readonly commit: string;
  /** Hashes of commits that were made ahead and are part of the same transaction. */
  readonly earlier: readonly string[];
  readonly step: StepRow | undefined;
  /** On whose behalf it ran, where the workspace does not say it. */
  readonly owner: Owner | undefined;
  /** What it is: `variables` defines them; a slice without a step runs what earlier steps left behind. */
  readonly kind: CommitMetadata['kind'];
  /** What it asked for. */
  readonly futures: readonly FutureRow[];
  readonly lines: readonly ConsoleLine[];
  /** Calls of synchronous tools, and how many more there were. */
  readonly called: CalledTools;
  readonly state: ProgramState;
  readonly handles: HandleTable;
  /** The number of the next thing the program asks for. */
  readonly nextFuture: number;
}

/** What is committed together with a slice. */
export interface JoinedToSlice extends TransactionPart {
  /** It gives up the lease under which the slice is committed. */
  readonly leaves: boolean;
  /** Called when the slice is committed. */
  committed?(revision: Revision): void;
}

/** What guest code asks of the layer above, accepted: a future of a kind of its own. */
export interface Requested {
  readonly kind: RequestedKind;
  readonly label: string;
  readonly request: WireMessage;
  /** It ends the program's work: nothing that was asked for in the same slice is waited for. */
  readonly ends?: true;
}

/** Runs slices of a workspace on its owner's behalf, and takes part in their commits. */
export interface SliceParticipant {
  /** The owner of the steps it begins, in a workspace that several use. */
  readonly owner: Owner | undefined;
  /** Guest code asks for a kind of future that workspaces do not have by themselves. */
  request(owner: Owner | undefined, kind: string, parameters: Readonly<Record<string, unknown>>): Requested | undefined;
  /** A slice that may be committed next has kept this process busy for so long. */
  ran?(milliseconds: number): void;
  /** What is committed together with a slice. A write to a key that the slice writes too replaces it. */
  join(slice: CommittingSlice): Promise<JoinedToSlice | undefined>;
  /** On a conflict over one of these, `join` is asked again; the slice is not run again for it. */
  readonly joinedCollections: ReadonlySet<string>;
}

/** Marks workspaces as having something to do. */
export async function readyMarks(
  store: Store,
  workspaces: readonly string[],
  now: number,
): Promise<Map<string, TransactionPart>> {
  const ids = [...new Set(workspaces)];
  const known =
    ids.length === 0
      ? []
      : await store.read(
          workspaceRows,
          ids.map((id) => [id]),
        );
  return new Map(
    ids
      .filter((_, index) => known[index] !== undefined)
      .map((id) => [
        id,
        { checks: [], writes: [{ kind: 'put' as const, collection: readyRows, key: [id], value: { since: now } }] },
      ]),
  );
}
