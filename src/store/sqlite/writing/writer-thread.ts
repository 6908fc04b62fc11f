// The writer thread: handles one request after another, and checkpoints when it is idle.
import { parentPort, workerData } from 'node:worker_threads';
import { toErrorMessage, type ErrorMessage } from '../../errors.ts';
import type { DatabaseSettings } from '../database.ts';
import type { StoredLease } from '../../engine/stored.ts';
import { SessionKeeper, type KeptSession } from '../sessions/session-keeper.ts';
import { Writer } from './writer.ts';

/** The methods of the writer that other threads can call. */
export type WriterMethod =
  | 'declare'
  | 'commit'
  | 'claim'
  | 'renew'
  | 'release'
  | 'expire'
  | 'moveHorizon'
  | 'pruneSome'
  | 'shrinkSome'
  | 'checkpoint'
  | 'close';

/** Requests about sessions. Only `open` is answered. */
export type SessionRequest =
  | { readonly id: number; readonly session: 'open'; readonly options: KeptSession }
  | { readonly session: 'keep'; readonly of: string; readonly lease: StoredLease }
  | { readonly session: 'drop'; readonly of: string; readonly token: number }
  | { readonly session: 'close'; readonly of: string };

export interface WriterRequest {
  readonly id: number;
  readonly method: WriterMethod;
  readonly parameters: readonly unknown[];
}

export type WriterAnswer =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: ErrorMessage }
  | { readonly lost: StoredLease; readonly of: string };

/** The id of the first message, which reports whether the file could be opened. */
export const openingId = 0;

// After this much idle time it checkpoints, if there were enough commits.
const idleMilliseconds = 200;
const checkpointCommits = 500;

function run(port: NonNullable<typeof parentPort>): void {
  const answer = (id: number, action: () => unknown): void => {
    let message: WriterAnswer;
    try {
      message = { id, result: action() };
    } catch (error) {
      message = { id, error: toErrorMessage(error) };
    }
    port.postMessage(message);
  };

  let writer: Writer | undefined;
  answer(openingId, () => {
    writer = new Writer(workerData as DatabaseSettings);
  });
  const sessions = new SessionKeeper(
    (workerData as DatabaseSettings).file,
    (leases, milliseconds) => writer?.renew(leases, milliseconds) ?? [],
    (of, lost) => port.postMessage({ lost, of } satisfies WriterAnswer),
  );
  const handleSession = (request: SessionRequest): void => {
    if (request.session === 'open') answer(request.id, () => sessions.open(request.options));
    else if (request.session === 'keep') sessions.keep(request.of, request.lease);
    else if (request.session === 'drop') sessions.drop(request.of, request.token);
    else sessions.close(request.of);
  };
  let commits = 0;
  let idleTimer: NodeJS.Timeout | undefined;
  port.on('message', (request: WriterRequest | SessionRequest) => {
    if ('session' in request) {
      handleSession(request);
      return;
    }
    const { id, method, parameters } = request;
    if (method === 'close') sessions.closeAll();
    answer(id, () =>
      (writer?.[method] as ((...given: readonly unknown[]) => unknown) | undefined)?.apply(writer, [...parameters]),
    );
    if (method === 'close') {
      clearTimeout(idleTimer);
      port.close();
      return;
    }
    if (method === 'commit' && ++commits >= checkpointCommits) {
      clearTimeout(idleTimer);
      idleTimer = setTimeout(() => {
        commits = 0;
        writer?.checkpoint();
      }, idleMilliseconds);
    }
  });
}

if (parentPort !== null) run(parentPort);
