// The writer's thread: takes one request after another and answers each. Between bursts of work it tidies up.
import { parentPort, workerData } from 'node:worker_threads';
import { toErrorMessage, type ErrorMessage } from '../../errors.ts';
import type { DatabaseSettings } from '../database.ts';
import type { StoredLease } from '../../engine/stored.ts';
import { SessionKeeper, type KeptSession } from '../sessions/session-keeper.ts';
import { Writer } from './writer.ts';

/** The methods of the writer that can be called from the other thread. */
export type WriterMethod =
  | 'declare'
  | 'commit'
  | 'claim'
  | 'renew'
  | 'release'
  | 'expire'
  | 'moveHorizon'
  | 'pruneSome'
  | 'checkpoint'
  | 'close';

/** What is said about sessions. Nothing of it is answered but the beginning of one. */
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

/** The id of the first message, which says that the file is open or why it is not. */
export const openingId = 0;

// After this much quiet the log is moved into the file, if enough has been written to make it worthwhile.
const quietMilliseconds = 200;
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
  const aboutSession = (request: SessionRequest): void => {
    if (request.session === 'open') answer(request.id, () => sessions.open(request.options));
    else if (request.session === 'keep') sessions.keep(request.of, request.lease);
    else if (request.session === 'drop') sessions.drop(request.of, request.token);
    else sessions.close(request.of);
  };
  let commits = 0;
  let quiet: NodeJS.Timeout | undefined;
  port.on('message', (request: WriterRequest | SessionRequest) => {
    if ('session' in request) {
      aboutSession(request);
      return;
    }
    const { id, method, parameters } = request;
    if (method === 'close') sessions.closeAll();
    answer(id, () =>
      (writer?.[method] as ((...given: readonly unknown[]) => unknown) | undefined)?.apply(writer, [...parameters]),
    );
    if (method === 'close') {
      clearTimeout(quiet);
      port.close();
      return;
    }
    if (method === 'commit' && ++commits >= checkpointCommits) {
      clearTimeout(quiet);
      quiet = setTimeout(() => {
        commits = 0;
        writer?.checkpoint();
      }, quietMilliseconds);
    }
  });
}

if (parentPort !== null) run(parentPort);
