// One slice, from beginning to end: run → plan → commit → publish. The program runs on what is loaded, what it did becomes
// one transaction, and only what was committed is seen by anybody. What is tried again after a conflict is in `retries.ts`.
import { commitParts, mergeParts, type CommitResult, type Lease } from '../../store/door.ts';
import { prepareSlice, type PreparedSlice, type SliceChange } from './slice-transaction.ts';
import type { WorkspaceContext } from '../context.ts';
import { WorkspaceTakenError } from '../errors.ts';
import { execute, type SliceInput, type SliceResult } from './execution.ts';
import { seedOfFork, type Loaded } from './loaded.ts';
import type { JoinedToSlice, SliceParticipant } from '../owners.ts';
import { conflictKind, StaleWorkspace, type Attempts } from './retries.ts';
import type { ConsoleLine, FutureRow, Owner, StepRow } from '../rows.ts';
import type { SliceObjects } from './slice-objects.ts';

/** Where slices of a workspace are run and committed. */
export interface SlicePlace {
  readonly context: WorkspaceContext;
  readonly objects: SliceObjects;
  readonly attempts: Attempts;
  /** Undefined for a workspace that is not in the store yet: nobody else can have it. */
  lease(): Lease | undefined;
  readonly participant: SliceParticipant | undefined;
}

export interface SliceWork {
  readonly input: SliceInput;
  /** The step it belongs to, as it is before the slice. */
  readonly step: StepRow | undefined;
  /** On whose behalf it runs, where that is not clear from the workspace. */
  readonly owner: Owner | undefined;
  readonly seed?: bigint | undefined;
  /** Futures of steps that failed: the program drops them first. */
  readonly forget: readonly number[];
  /** What the result means for the step and the workspace. Throws what fails the step. */
  plan(result: SliceResult, loaded: Loaded): Promise<SliceChange> | SliceChange;
}

export interface CommittedSlice {
  /** The workspace as it is now. */
  readonly loaded: Loaded;
  readonly step: StepRow | undefined;
  readonly futures: readonly FutureRow[];
  readonly lines: readonly ConsoleLine[];
  /** The lease was given up with the commit. */
  readonly leaves: boolean;
}

/** Runs a slice and commits what it did. */
export async function runSlice(place: SlicePlace, loaded: Loaded, work: SliceWork): Promise<CommittedSlice> {
  const { objects, attempts } = place;
  try {
    for (;;) {
      const result = await objects.run(() => run(place, loaded, work), languageOf(place, loaded).isCostlyToRepeat);
      const change = objects.joined(withResult(await work.plan(result, loaded), result, work));
      const committed = await commitChange(place, loaded, change, work.step);
      if (committed.status === 'committed') return committed.slice;
      await objects.beforeRetry(attempts.next('objects', committed.message));
    }
  } finally {
    objects.end();
  }
}

/**
 * Runs a slice that is committed with the next one: the workspace as it is then, in this process only. For variables: they
 * name durable objects and read nothing of them.
 */
export async function runSliceAhead(place: SlicePlace, loaded: Loaded, work: SliceWork): Promise<Loaded> {
  const { objects, context } = place;
  try {
    const result = await objects.run(() => run(place, loaded, work), languageOf(place, loaded).isCostlyToRepeat);
    const change = withResult(await work.plan(result, loaded), result, work);
    const prepared = prepareSlice(context, loaded, change, work.step);
    return {
      ...loaded,
      row: prepared.row,
      head: prepared.commit.together(),
      image: change.image,
      pending: { part: prepared.part, commits: [...(loaded.pending?.commits ?? []), prepared.commit.hash] },
    };
  } finally {
    objects.end();
  }
}

/** Commits a change for which no guest code has run. */
export async function commitWithoutRun(
  place: SlicePlace,
  loaded: Loaded,
  change: SliceChange,
  stepBefore: StepRow | undefined,
): Promise<CommittedSlice> {
  const committed = await commitChange(place, loaded, change, stepBefore);
  if (committed.status === 'committed') return committed.slice;
  // Objects that an earlier slice of the same transaction has read.
  throw new StaleWorkspace({ kind: 'revision', message: committed.message });
}

function run({ context, participant }: SlicePlace, loaded: Loaded, work: SliceWork): SliceResult {
  const { row, image, handles } = loaded;
  const { step, owner, forget, seed } = work;
  // Twice as long: what the application does for the program comes on top.
  context.leases.allow(2 * row.limits.hardCpuMilliseconds);
  const started = performance.now();
  const result = execute(
    {
      workspace: row.id,
      step: step?.number ?? row.nextStep - 1,
      image,
      language: context.languages.of(row.language),
      handles,
      graph: context.objects,
      owner,
      role: owner?.role ?? row.role,
      limits: row.limits,
      timeZone: row.timeZone,
      nextFuture: row.nextFuture,
      waiting: row.state.waiting.length,
      printed: step?.printed ?? 0,
      forget,
      seed: seed ?? seedOfFork(loaded),
      now: () => context.clock.now(),
      request: (kind, parameters) => participant?.request(owner, kind, parameters),
    },
    work.input,
  );
  participant?.ran?.(performance.now() - started);
  return result;
}

function withResult(change: SliceChange, { called, printed }: SliceResult, { owner }: SliceWork): SliceChange {
  return { ...change, called, owner, ...(change.step === undefined ? {} : { step: { ...change.step, printed } }) };
}

type Outcome =
  | { readonly status: 'committed'; readonly slice: CommittedSlice }
  /** Objects that the slice used have changed: it never was. */
  | { readonly status: 'conflict'; readonly message: string };

async function commitChange(
  place: SlicePlace,
  loaded: Loaded,
  given: SliceChange,
  stepBefore: StepRow | undefined,
): Promise<Outcome> {
  const { context, objects, participant } = place;
  const planned = { ...given, owner: given.owner ?? stepBefore?.owner };
  // A participant looks after the workspace as long as it has something to do: no mark has to say so.
  const change = participant === undefined ? planned : { ...planned, ready: false };
  const prepared = prepareSlice(context, loaded, change, stepBefore);
  const { result, leaves } = await commitJoined(place, loaded, prepared, change);
  if (result.status === 'conflict') {
    if (conflictKind(result.conflict) === 'objects') {
      context.objects.contention.note(result.conflict);
      return { status: 'conflict', message: result.conflict.message };
    }
    throw new StaleWorkspace(result.conflict);
  }
  const { revision } = result;
  objects.committed(revision);
  loaded.handles.dropTransient();
  context.changed(prepared.row.id);
  const { pending: _pending, ...rest } = loaded;
  return {
    status: 'committed',
    slice: {
      loaded: { ...rest, row: prepared.row, revision, head: prepared.commit.committed(revision), image: change.image },
      step: prepared.step,
      futures: change.futures,
      lines: change.lines,
      leaves,
    },
  };
}

/** The slice and what its participant adds; that is worked out anew when another process has committed first there. */
async function commitJoined(
  { context: { store }, participant, attempts, lease }: SlicePlace,
  { handles, pending }: Loaded,
  { part, commit, row, step }: PreparedSlice,
  { kind, owner, futures, lines, called = { calls: [], more: 0, others: [] } }: SliceChange,
): Promise<{ readonly result: CommitResult; readonly leaves: boolean }> {
  refuseTaken(row.id, owner, participant, step !== undefined || kind === 'variables');
  for (;;) {
    const held = lease();
    const joined: JoinedToSlice | undefined = await participant?.join({
      workspace: row.id,
      commit: commit.hash,
      earlier: pending?.commits ?? [],
      step,
      kind,
      owner,
      futures,
      lines,
      called,
      state: row.state,
      handles,
      nextFuture: row.nextFuture,
    });
    const result = await commitParts(store, [mergeParts(part, joined)], held);
    const isTheirs =
      result.status === 'conflict' && conflictKind(result.conflict, participant?.joinedCollections) === 'joined';
    if (result.status === 'committed') joined?.committed?.(result.revision);
    if (!isTheirs) return { result, leaves: joined?.leaves === true };
    attempts.next('joined', result.conflict.message);
  }
}

/** A step of an owner is theirs alone to go on with; only what their earlier steps left running is anybody's. */
function refuseTaken(
  workspace: string,
  owner: Owner | undefined,
  participant: SliceParticipant | undefined,
  isOwned: boolean,
): void {
  if (!isOwned || owner === undefined || participant?.owner?.id === owner.id) return;
  throw new WorkspaceTakenError(`The workspace '${workspace}' is used by '${owner.id}'.`, { workspace, job: owner.id });
}

function languageOf({ context }: SlicePlace, { row }: Loaded): ReturnType<WorkspaceContext['languages']['of']> {
  return context.languages.of(row.language);
}
