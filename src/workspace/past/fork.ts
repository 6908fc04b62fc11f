// Forking: a new workspace that begins at a commit of another one. It shares the history before it and the futures that
// were pending then; no call is made a second time.
import { randomBytes, randomUUID } from 'node:crypto';
import { InvalidOptionError } from '../../base/options.ts';
import { chains, type PreparedFork } from '../../history/door.ts';
import { runOnce } from '../../objects/door.ts';
import { StoreConflictError, type Transaction, type TransactionPart, type Write } from '../../store/door.ts';
import { WorkspaceStateError } from '../errors.ts';
import { StaleWorkspace } from '../slices/retries.ts';
import type { WorkspaceContext } from '../context.ts';
import { refuseName } from '../variables/new-workspace.ts';
import type { GoingBack } from '../owners.ts';
import type { HandleTable } from '../bridge/handle-table.ts';
import { execute, type SliceResult } from '../slices/execution.ts';
import { handlesOf, type Loaded } from '../slices/loaded.ts';
import { prepareSlice } from '../slices/slice-transaction.ts';
import { refuseReservedNames } from '../variables/reserved-names.ts';
import { isVariableName } from '../variables/variables.ts';
import { encodeWire } from '../wire/encode.ts';
import type { WireMessage } from '../wire/wire.ts';
import {
  futureRows,
  metadataOf,
  readyRows,
  runRows,
  stepRows,
  workspaceRows,
  type CommitMetadata,
  type WorkspaceRow,
} from '../rows.ts';

/** What a fork is called, and in what it differs from the program at its commit. */
export interface ForkParts {
  readonly id?: string | undefined;
  /** Variables that get other values: data, durable objects, services. */
  readonly vars?: Readonly<Record<string, unknown>> | undefined;
  /** What a layer above adds to the commit that makes the fork. */
  readonly joined?: ((fork: GoingBack) => Promise<TransactionPart>) | undefined;
}

export async function forkWorkspace(
  context: WorkspaceContext,
  { row }: Loaded,
  hash: string,
  { id = `${row.id}-${randomUUID().slice(0, 8)}`, vars, joined }: ForkParts,
): Promise<string> {
  const { store, history, clock } = context;
  refuseName(id);
  const commit = await history.find(row.id, hash);
  const { state } = metadataOf(commit);
  const metadata: CommitMetadata = { kind: 'forked', step: state.current, lines: 0, state: closed(state) };
  await refuseTaken(context, id);
  const isEdited = vars !== undefined && Object.keys(vars).length > 0;
  const changing = isEdited ? await history.forkToChange(row.id, hash, id, metadata) : undefined;
  const prepared = changing ?? (await history.fork(row.id, hash, id, metadata));
  const forked: WorkspaceRow = {
    ...row,
    id,
    created: clock.now(),
    state: closed(state),
    forkedFrom: { workspace: row.id, commit: hash },
  };
  const also = await joined?.({ workspace: id, commit: hash, current: state.current, nextFuture: row.nextFuture });
  const writes: Write[] = [
    ...prepared.writes,
    ...(also?.writes ?? []),
    { kind: 'put', collection: workspaceRows, key: [id], value: forked },
    { kind: 'put', collection: runRows, key: [id], value: { workspace: id } },
    { kind: 'put', collection: readyRows, key: [id], value: { since: clock.now() } },
  ];
  if (state.current !== null) {
    const [step] = await store.read(stepRows, [[row.id, state.current]]);
    if (step !== undefined)
      writes.push({
        kind: 'put',
        collection: stepRows,
        key: [id, state.current],
        value: { ...step.value, status: 'suspended' },
      });
  }
  const waited = await store.read(
    futureRows,
    state.waiting.map(({ workspace, number }) => [workspace, number]),
  );
  for (const entry of waited) {
    if (entry !== undefined)
      writes.push({
        kind: 'put',
        collection: futureRows,
        key: entry.key,
        value: { ...entry.value, sharedWith: [...entry.value.sharedWith, id] },
      });
  }
  const checks = [
    ...prepared.checks,
    ...(also?.checks ?? []),
    { kind: 'absent' as const, collection: workspaceRows, key: [id] },
    ...waited
      .filter((entry) => entry !== undefined)
      .map(({ key, revision }) => ({ kind: 'revision' as const, collection: futureRows, key, revision })),
  ];
  const part =
    changing === undefined
      ? { checks, writes }
      : await withVariables(context, forked, changing, { checks, writes }, vars ?? {});
  const [result] = await store.commit([part]);
  if (result?.status === 'committed') return id;
  // A future that was shared has changed meanwhile.
  if (result?.conflict.kind === 'revision') throw new StaleWorkspace(result.conflict);
  throw new StoreConflictError(
    `The workspace '${id}' could not be forked: ${result?.conflict.message ?? ''} Choose another name.`,
    { workspace: id },
  );
}

async function refuseTaken({ store }: WorkspaceContext, id: string): Promise<void> {
  const [there] = await store.read(workspaceRows, [[id]]);
  if (there !== undefined)
    throw new WorkspaceStateError(`There is a job or workspace '${id}' already. Choose another name for the fork.`, {
      workspace: id,
    });
  const [chain] = await store.read(chains, [[id]]);
  if (chain !== undefined)
    throw new WorkspaceStateError(
      `A job or workspace '${id}' was deleted, and what its history took is not freed yet. Run kit.gc() or statek gc, or choose another name for the fork.`,
      { workspace: id },
    );
}

/** A fork that begins with other variables: a slice of its own that defines them, in the transaction that makes the fork. */
async function withVariables(
  context: WorkspaceContext,
  row: WorkspaceRow,
  { head, image: stored, hash }: PreparedFork,
  part: TransactionPart,
  vars: Readonly<Record<string, unknown>>,
): Promise<Transaction> {
  const { languages, objects, clock } = context;
  const language = await languages.prepared(row.language, 'stored programs');
  const image = language.imageFrom(stored.pages);
  const handles = handlesOf(context, row, new Map());
  refuseReservedNames('fork', Object.keys(vars), row.language);
  const variables = Object.entries(vars).map(([name, value]) => ({
    name,
    message: messageOf(name, value, row, handles),
  }));
  const { current, slices, waiting } = row.state;
  const define = (): SliceResult =>
    execute(
      {
        workspace: row.id,
        step: current ?? 0,
        image,
        language,
        handles,
        graph: objects,
        role: row.role,
        limits: row.limits,
        timeZone: row.timeZone,
        nextFuture: row.nextFuture,
        waiting: waiting.length,
        printed: 0,
        forget: [],
        // A fork draws other random numbers than the program it came from.
        seed: randomBytes(8).readBigUInt64LE(),
        now: () => clock.now(),
      },
      { kind: 'define', variables },
    );
  const { result } = await runOnce(objects, define, {
    readonly: 'Variables of a fork are defined without changing objects.',
  });
  const loaded: Loaded = { row, revision: undefined, head, image, handles, pending: { part, commits: [hash] } };
  const change = {
    kind: 'variables',
    image: result.image,
    lines: [],
    futures: [],
    held: result.held,
    state: { current, slices, waiting },
    ready: true,
  } as const;
  return prepareSlice(context, loaded, change, undefined).part;
}

/** Only what any process finds again: the fork may go on in another one. */
function messageOf(name: string, value: unknown, row: WorkspaceRow, handles: HandleTable): WireMessage {
  if (!isVariableName(name))
    throw new InvalidOptionError(`fork: '${name}' cannot be the name of a variable.`, { name });
  return encodeWire(value, {
    maxBytes: row.limits.valueBytes,
    handleFor: (target) => {
      const token = handles.tokenFor(target);
      if (handles.isDurable(token)) return token;
      throw new InvalidOptionError(
        `fork: vars.${name} holds ${handles.describe(token)}, which other processes cannot find. Give its data, a durable object, or a service of this kit.`,
        { name },
      );
    },
  });
}

/** What the original prints from now on does not belong to the fork. */
function closed(state: CommitMetadata['state']): CommitMetadata['state'] {
  const last = state.console.at(-1);
  return last === undefined ? state : { ...state, console: [...state.console.slice(0, -1), { ...last, closed: true }] };
}
