// Turns what a slice did into one transaction: image, console, futures, steps and the workspace's row, all or nothing.
import { createHash } from 'node:crypto';
import type { PreparedChange } from '../../history/door.ts';
import { mergeParts, type Check, type Revision, type TransactionPart, type Write } from '../../store/door.ts';
import type { WorkspaceContext } from '../context.ts';
import type { StoredImage } from '../language.ts';
import type { SliceResult } from './execution.ts';
import { registration } from '../futures/registration.ts';
import { offloadText } from '../large-texts.ts';
import type { WorkspaceLimits } from '../limits.ts';
import type { Loaded } from './loaded.ts';
import {
  consoleRows,
  futureRows,
  heldRows,
  readyRows,
  stepRows,
  workspaceRows,
  type CommitMetadata,
  type ConsoleLine,
  type ConsoleSegment,
  type FutureRow,
  type Owner,
  type ProgramState,
  type StepRow,
  type WorkspaceRow,
} from '../rows.ts';

export interface SliceChange {
  readonly kind: CommitMetadata['kind'];
  readonly image: StoredImage;
  readonly lines: readonly ConsoleLine[];
  readonly futures: readonly FutureRow[];
  readonly state: Omit<ProgramState, 'console' | 'held'>;
  /** The durable objects the program holds now; a list, the name of one, or (undefined) the same as before. */
  readonly held?: readonly string[] | { readonly list: string | undefined } | undefined;
  /** The step as it is afterwards; its commit is filled in here. */
  readonly step?: Omit<StepRow, 'commit' | 'commits'> | undefined;
  readonly nextStep?: number;
  readonly bindings?: readonly string[];
  readonly limits?: WorkspaceLimits;
  /** On whose behalf the slice ran, where the workspace does not say it. */
  readonly owner?: Owner | undefined;
  /** Calls of synchronous tools, for whoever keeps a journal. */
  readonly called?: SliceResult['called'];
  /** What the slice did to durable objects does not stand. */
  readonly dropsObjects?: true;
  /** What else is written in the same transaction, and must hold for it. */
  readonly also?: TransactionPart | undefined;
  /** Somebody must look at this workspace even if this process dies: a step is queued or a call is to be made. */
  readonly ready: boolean;
}

export interface PreparedSlice {
  /** Everything that is to be committed for it, with what was made ahead of it. */
  readonly part: TransactionPart;
  readonly commit: PreparedChange;
  readonly row: WorkspaceRow;
  readonly step: StepRow | undefined;
}

export function prepareSlice(
  { history, clock }: WorkspaceContext,
  { row, revision, head, image, pending }: Loaded,
  change: SliceChange,
  stepBefore: StepRow | undefined,
): PreparedSlice {
  const sequence = head.commit.sequence + 1;
  const held = heldAfter(row, change.held);
  const state: ProgramState = {
    ...change.state,
    console: consoleAfter(row, sequence, change.lines.length),
    ...(held.list === undefined ? {} : { held: held.list }),
  };
  const metadata: CommitMetadata = {
    kind: change.kind,
    step: change.step?.number ?? null,
    lines: change.lines.length,
    state,
  };
  const difference = change.image.changedSince?.(image);
  const commit = history.prepare(
    head,
    {
      previous: image,
      current: change.image,
      header: change.image.headerBytes,
      dirtyPages: difference?.pages,
      dirtyRanges: difference?.ranges,
    },
    metadata,
  );
  const after: WorkspaceRow = {
    ...row,
    state,
    nextStep: change.nextStep ?? row.nextStep,
    nextFuture: row.nextFuture + change.futures.length,
    bindings: change.bindings ?? row.bindings,
    limits: change.limits ?? row.limits,
    fresh: false,
    ...(change.step?.owner === undefined ? {} : { guests: true as const }),
  };
  const step = change.step && {
    ...change.step,
    commit: commit.hash,
    commits: [stepBefore?.commits?.[0] ?? sequence, sequence] as const,
  };
  const writes: Write[] = [{ kind: 'put', collection: workspaceRows, key: [row.id], value: after }];
  if (step !== undefined) writes.push({ kind: 'put', collection: stepRows, key: [row.id, step.number], value: step });
  if (change.lines.length > 0)
    writes.push({ kind: 'put', collection: consoleRows, key: [row.id, sequence], value: change.lines });
  if (change.ready) writes.push({ kind: 'put', collection: readyRows, key: [row.id], value: { since: clock.now() } });
  const checks: Check[] = [unchangedRow(row.id, revision)];
  // Calls that are given the same large text share one row of it.
  const futures = { writes: change.futures.flatMap(writesOfFuture) };
  return {
    commit,
    row: after,
    step,
    part: mergeParts(pending?.part, commit, { checks, writes }, futures, held, change.also),
  };
}

/** The workspace is as it was loaded, or not there yet. */
function unchangedRow(id: string, revision: Revision | undefined): Check {
  const place = { collection: workspaceRows, key: [id] };
  return revision === undefined ? { kind: 'absent', ...place } : { kind: 'revision', ...place, revision };
}

/** What the list of held objects is called, and what is written if it is another one than before. */
function heldAfter(
  { state }: WorkspaceRow,
  held: SliceChange['held'],
): { readonly list: string | undefined; readonly writes: readonly Write[] } {
  if (held === undefined) return { list: state.held, writes: [] };
  if ('list' in held) return { list: held.list, writes: [] };
  if (held.length === 0) return { list: undefined, writes: [] };
  const sorted = [...new Set(held)].toSorted();
  const list = createHash('sha256').update(sorted.join('\n')).digest('base64url');
  if (list === state.held) return { list, writes: [] };
  return { list, writes: [{ kind: 'put', collection: heldRows, key: [list], value: sorted }] };
}

function writesOfFuture(future: FutureRow): Write[] {
  const { workspace, number } = future;
  const parameters = future.kind === 'call' ? offloadText(workspace, future.call.parameters) : undefined;
  const value =
    future.kind === 'call' && parameters !== undefined
      ? { ...future, call: { ...future.call, parameters: parameters.text } }
      : future;
  return [
    { kind: 'put', collection: futureRows, key: [workspace, number], value },
    ...(parameters?.writes ?? []),
    ...registration(future),
  ];
}

/** Lines of consecutive commits are one segment; a rollback or fork begins a new one. */
export function consoleAfter({ id, state }: WorkspaceRow, sequence: number, lines: number): readonly ConsoleSegment[] {
  if (lines === 0) return state.console;
  const last = state.console.at(-1);
  if (last !== undefined && last.workspace === id && last.closed !== true)
    return [...state.console.slice(0, -1), { ...last, to: sequence }];
  return [...state.console, { workspace: id, from: sequence, to: sequence }];
}
