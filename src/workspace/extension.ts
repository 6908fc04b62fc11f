// What a layer above adds to workspaces: who runs them, what wakes them, what is committed together with their slices. A
// workspace knows nothing of what stands behind it; by itself it is run by whoever asks for it.
import type { WorkCollection } from '../store/collection.ts';
import type { Key } from '../store/key.ts';
import type { Check, Store, Write } from '../store/store.ts';
import type { HandleTable } from './handle-table.ts';
import {
  readyRows,
  runRows,
  workspaceRows,
  type CommitMetadata,
  type ConsoleLine,
  type FutureRow,
  type Owner,
  type ProgramState,
  type SliceCall,
  type StepRow,
} from './rows.ts';

/** Checks and writes to be added to a transaction. */
export interface Also {
  readonly checks: readonly Check[];
  readonly writes: readonly Write[];
}

/** What is committed together with a slice. */
export interface JoinedToSlice extends Also {
  /** It gives up the lease under which the slice is committed. */
  readonly leaves: boolean;
}

/** A slice that is about to be committed. */
export interface CommittingSlice {
  readonly workspace: string;
  /** Of the lease under which it is committed. */
  readonly token: number;
  /** The hash its commit will have. */
  readonly commit: string;
  readonly step: StepRow | undefined;
  /** On whose behalf it ran, where the workspace does not say it. */
  readonly owner: Owner | undefined;
  /** What it is: `variables` defines them; a slice without a step runs what earlier steps left behind. */
  readonly kind: CommitMetadata['kind'];
  /** What it asked for. */
  readonly futures: readonly FutureRow[];
  readonly lines: readonly ConsoleLine[];
  /** Calls of synchronous tools, and how many more there were. */
  readonly called: { readonly calls: readonly SliceCall[]; readonly more: number };
  readonly state: ProgramState;
  readonly handles: HandleTable;
  /** The number of the next thing the program asks for. */
  readonly nextFuture: number;
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

/** The item whose lease says who runs a workspace. */
export interface LeasePlace {
  readonly collection: WorkCollection<unknown>;
  readonly key: Key;
}

export interface Extension {
  leasePlace(workspace: string): Promise<LeasePlace>;
  /** For each workspace, what makes somebody look at it, in this process or another. Those that are gone get nothing. */
  wake(workspaces: readonly string[], now: number): Promise<ReadonlyMap<string, Also>>;
  /** Somebody looks after this workspace as long as it has something to do: it needs no mark that says so. */
  isAttended(workspace: string): boolean;
  /** Whether the owner of a step has nothing more to do with the workspace. */
  hasLeft(workspace: string, owner: string): Promise<boolean>;
  /** Guest code asks for a kind of future that workspaces do not have by themselves. */
  request(
    workspace: string,
    owner: Owner | undefined,
    kind: string,
    parameters: Readonly<Record<string, unknown>>,
  ): Pick<FutureRow, 'label' | 'request'> | undefined;
  /**
   * What is committed together with a slice. A write to a key that the slice writes too replaces it. On a conflict over
   * one of `joinedCollections` it is asked again; the slice is not run again for it.
   */
  join(slice: CommittingSlice): Promise<JoinedToSlice | undefined>;
  readonly joinedCollections: ReadonlySet<string>;
  /** What is committed together with going back to an older commit. Throws if that cannot be. */
  goBack(going: GoingBack): Promise<Also>;
  /** Ids of durable objects that are named in rows of its own. */
  objectsHeld(): AsyncIterable<string>;
}

/** Workspaces by themselves. */
export function plainExtension(store: Store): Extension {
  return {
    leasePlace: (workspace) => Promise.resolve({ collection: runRows, key: [workspace] }),
    wake: (workspaces, now) => readyMarks(store, workspaces, now),
    isAttended: () => false,
    hasLeft: () => Promise.resolve(false),
    request: () => undefined,
    join: () => Promise.resolve(undefined),
    joinedCollections: new Set(),
    goBack: () => Promise.resolve({ checks: [], writes: [] }),
    objectsHeld: async function* () {
      // It has no rows.
    },
  };
}

/** Marks workspaces as having something to do. */
export async function readyMarks(store: Store, workspaces: readonly string[], now: number): Promise<Map<string, Also>> {
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

/** The writes of a transaction with others added; the last one to a key counts. */
export function withWrites(writes: readonly Write[], added: readonly Write[]): readonly Write[] {
  return [...new Map([...writes, ...added].map((write) => [nameOf(write), write])).values()];
}

function nameOf({ collection, key }: Write): string {
  return `${collection.name} ${JSON.stringify(key)}`;
}
