// What comes from outside: signals, answers, and timers that are due. Each settles one future, once, whoever delivers it.
import { randomUUID } from 'node:crypto';
import { described } from '../../base/options.ts';
import {
  commitParts,
  commitWithRetry,
  mergeParts,
  scanAll,
  type Check,
  type Entry,
  type TransactionPart,
  type Write,
} from '../../store/door.ts';
import type { WorkspaceContext } from '../context.ts';
import { NotDurableError, NotFoundError, TimeoutError, WorkspaceStateError } from '../errors.ts';
import {
  decisionOf,
  futureRows,
  isOpen,
  parseFutureId,
  signalOf,
  signalRows,
  signalWaitRows,
  timerOf,
  timerRows,
  type Decision,
  type FutureOutcome,
  type FutureReference,
  type FutureRow,
} from '../rows.ts';
import { registration, signalWaitKey } from './registration.ts';
import { refuseOver } from './refuse-over.ts';
import { settlement, settlements } from './settlement.ts';
import { encodeWire } from '../wire/encode.ts';
import { undefinedMessage, type WireMessage } from '../wire/wire.ts';

const maxTries = 20;
const timersAtOnce = 500;

/** Keeps signals in order that this process sends within one millisecond. */
let lastSent = 0;

/**
 * Sends a signal. It settles the oldest wait for that name; if nobody waits yet, it is kept, and the next wait gets it at
 * once. Each signal ends one wait, in the order in which they were sent.
 */
export async function sendSignal(
  context: WorkspaceContext,
  name: string,
  payload: unknown,
  keep: 'all' | 'latest',
): Promise<void> {
  const value = dataMessage(payload, `The payload of signal '${name}'`);
  const sent = context.clock.now();
  const key = [name, sent, ++lastSent, randomUUID()];
  let isDelivered: boolean | undefined;
  await commitWithRetry(
    context.store,
    maxTries,
    async () => {
      const { store } = context;
      const waits = await store.scan(signalWaitRows, { prefix: [name] }, { limit: 1 });
      const [wait] = waits.entries;
      const older = await signalsSent(context, name, keep);
      const future = wait === undefined || older.length > 0 ? undefined : await read(context, wait.value);
      isDelivered = wait !== undefined && future !== undefined && isOpen(future.value);
      if (wait !== undefined && future !== undefined && isDelivered) return delivered(context, wait, future, value);
      return {
        // A wait that comes at this moment would not look for the signal again.
        checks:
          wait === undefined
            ? [{ kind: 'unchanged', collection: signalWaitRows, range: { prefix: [name] }, since: waits.revision }]
            : [],
        writes: [
          ...(keep === 'all'
            ? []
            : older.map((entry): Write => ({ kind: 'remove', collection: signalRows, key: entry.key }))),
          { kind: 'put', collection: signalRows, key, value: { value, sent } },
        ],
      };
    },
    () => new WorkspaceStateError(`Many signals '${name}' are sent at once; try again.`, { name }),
  );
  // There are signals before it, or a wait that nobody needs any more.
  if (isDelivered !== true) await matchSignals(context, name);
}

/** Signals of this name that nobody took: the first one, or all of them if only the latest is to be kept. */
async function signalsSent(
  { store }: WorkspaceContext,
  name: string,
  keep: 'all' | 'latest',
): Promise<readonly Entry<unknown>[]> {
  if (keep === 'all') return (await store.scan(signalRows, { prefix: [name] }, { limit: 1 })).entries;
  const all: Entry<unknown>[] = [];
  for await (const entry of scanAll(store, signalRows, { prefix: [name] })) all.push(entry);
  return all;
}

/** A signal ends a wait. */
async function delivered(
  context: WorkspaceContext,
  wait: Entry<FutureReference>,
  future: { readonly value: FutureRow; readonly revision: number },
  value: WireMessage,
): Promise<TransactionPart> {
  const settled = await settlement(context, future.value, { failed: false, value });
  return mergeParts(
    {
      checks: [
        { kind: 'revision', collection: signalWaitRows, key: wait.key, revision: wait.revision },
        unchanged(future),
      ],
      writes: [{ kind: 'remove', collection: signalWaitRows, key: wait.key }],
    },
    settled,
  );
}

/** Gives waits the signals that were sent before them; tells whether there were any. */
export async function matchWaits(context: WorkspaceContext, waits: readonly FutureRow[]): Promise<boolean> {
  if (waits.length === 0) return false;
  await registerWaits(context, waits);
  for (const name of new Set(waits.flatMap((wait) => signalOf(wait) ?? []))) await matchSignals(context, name);
  const after = await context.store.read(
    futureRows,
    waits.map(({ workspace, number }) => [workspace, number]),
  );
  return after.some((entry) => entry?.value.outcome !== undefined);
}

/** A job that is over takes no signals, so its waits were withdrawn; if it was started again, it takes them again. */
async function registerWaits({ store }: WorkspaceContext, waits: readonly FutureRow[]): Promise<void> {
  const keys = waits.flatMap((wait) => {
    const key = signalWaitKey(wait);
    return key === undefined ? [] : [key];
  });
  const there = await store.read(signalWaitRows, keys);
  const missing = waits.filter((_, index) => there[index] === undefined);
  if (missing.length > 0) await commitParts(store, [{ writes: missing.flatMap(registration) }]);
}

/** Brings waits and signals of one name together. */
export async function matchSignals(context: WorkspaceContext, name: string): Promise<void> {
  const { store } = context;
  for (let tries = 0; tries < maxTries;) {
    const [waits, signals] = await Promise.all([
      store.scan(signalWaitRows, { prefix: [name] }, { limit: 1 }),
      store.scan(signalRows, { prefix: [name] }, { limit: 1 }),
    ]);
    const wait = waits.entries[0];
    const signal = signals.entries[0];
    if (wait === undefined || signal === undefined) return;
    const future = await read(context, wait.value);
    // A wait that was cancelled takes no signal.
    if (future === undefined || !isOpen(future.value)) {
      await commitParts(store, [
        {
          checks: [{ kind: 'revision', collection: signalWaitRows, key: wait.key, revision: wait.revision }],
          writes: [{ kind: 'remove', collection: signalWaitRows, key: wait.key }],
        },
      ]);
      continue;
    }
    const result = await commitParts(store, [
      await delivered(context, wait, future, signal.value.value),
      {
        checks: [{ kind: 'revision', collection: signalRows, key: signal.key, revision: signal.revision }],
        writes: [{ kind: 'remove', collection: signalRows, key: signal.key }],
      },
    ]);
    if (result.status !== 'committed') tries++;
  }
}

export interface AnswerOptions {
  /** Who answered. */
  readonly by?: string | undefined;
  /** What whoever answers calls the answer: given again under the same name, it is the same answer. */
  readonly key?: string | undefined;
}

/** Answers a question. The first answer counts; a second one is an error. */
export async function answerQuestion(
  context: WorkspaceContext,
  id: string,
  answer: unknown,
  { by, key }: AnswerOptions = {},
): Promise<void> {
  const value = dataMessage(answer, 'The answer');
  const reference = parseFutureId(id);
  await commitWithRetry(
    context.store,
    maxTries,
    async () => {
      const future = reference && (await read(context, reference));
      if (future === undefined) throw new NotFoundError(`There is no question '${id}'.`, { id });
      if (future.value.kind !== 'ask')
        throw new WorkspaceStateError(`'${id}' is not a question but: ${future.value.label}.`, { id });
      if (key !== undefined && decisionOf(future.value)?.key === key) return undefined;
      await refuseOver(context, future.value);
      if (!isOpen(future.value))
        throw new WorkspaceStateError(`The question '${id}' was answered already.`, {
          id,
          decision: decisionOf(future.value),
        });
      const decision: Decision = {
        approved: true,
        time: context.clock.now(),
        ...(by === undefined ? {} : { by }),
        ...(key === undefined ? {} : { key }),
      };
      return mergeParts(
        { checks: [unchanged(future)] },
        await settlement(context, { ...future.value, decision }, { failed: false, value }),
      );
    },
    () => new WorkspaceStateError(`The question '${id}' is being changed by others; try again.`, { id }),
  );
}

/** Settles the timers that are due; returns when the next one is, if there is one. */
export async function fireTimers(context: WorkspaceContext): Promise<number | undefined> {
  const { store, clock } = context;
  for (;;) {
    const { entries } = await store.scan(timerRows, {}, { limit: timersAtOnce });
    const now = clock.now();
    const due = entries.filter(({ key }) => (key[0] as number) <= now);
    if (due.length > 0) await fire(context, due);
    if (due.length < entries.length || entries.length === 0)
      return entries.find(({ key }) => (key[0] as number) > now)?.key[0] as number | undefined;
  }
}

/** Each in a transaction of its own, all of them in one durable write. What somebody else changes meanwhile comes again. */
async function fire(context: WorkspaceContext, due: readonly Entry<FutureReference>[]): Promise<void> {
  const { store } = context;
  const futures = await store.read(
    futureRows,
    due.map(({ value: { workspace, number } }) => [workspace, number]),
  );
  const live = futures.flatMap((entry) => (entry !== undefined && isOpen(entry.value) ? [entry.value] : []));
  const settled = await settlements(
    context,
    live.map((future) => ({ future, outcome: outcomeOfTimer(future) })),
  );
  await store.commit(
    due.map((timer, index) => {
      const future = futures[index];
      const also = future === undefined ? undefined : settled[live.indexOf(future.value)];
      return {
        checks: [
          { kind: 'revision', collection: timerRows, key: timer.key, revision: timer.revision },
          ...(future === undefined || also === undefined ? [] : [unchanged(future), ...also.checks]),
        ],
        writes: [{ kind: 'remove', collection: timerRows, key: timer.key }, ...(also?.writes ?? [])],
      };
    }),
  );
}

/** A timer ends its own wait; for any other future it is the time after which nobody waits any longer. */
function outcomeOfTimer(future: FutureRow): FutureOutcome {
  if ('due' in future) return { failed: false, value: undefinedMessage };
  const milliseconds = (timerOf(future) ?? future.created) - future.created;
  const error = new TimeoutError(`Nothing came in ${milliseconds} ms: ${future.label}.`);
  return { failed: true, value: errorMessage(error) };
}

export function errorMessage(error: Error): WireMessage {
  return encodeWire(error, { maxBytes: 64 * 1024, handleFor: () => undefined });
}

async function read(
  { store }: WorkspaceContext,
  { workspace, number }: FutureReference,
): Promise<{ value: FutureRow; revision: number } | undefined> {
  const [entry] = await store.read(futureRows, [[workspace, number]]);
  return entry;
}

function unchanged({ value, revision }: { value: FutureRow; revision: number }): Check {
  return { kind: 'revision', collection: futureRows, key: [value.workspace, value.number], revision };
}

function dataMessage(value: unknown, what: string): WireMessage {
  return encodeWire(value, {
    maxBytes: 8 * 1024 * 1024,
    path: what,
    handleFor: (object, path) => {
      throw new NotDurableError(
        `${path} is ${described(object)}, which cannot be delivered to another process. Send plain data, without functions.`,
      );
    },
  });
}
