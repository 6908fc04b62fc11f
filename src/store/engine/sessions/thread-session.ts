// A session whose leases are renewed by a thread of its own, for engines with a server. The thread's connection shows other
// processes that this one is alive.
import { Worker } from 'node:worker_threads';
import type { EngineSession, EngineSessionOptions } from '../engine.ts';
import { StoreUnavailableError } from '../../errors.ts';
import { ProgressBeat } from '../progress.ts';
import { ownerOf } from '../session-id.ts';
import type { StoredLease } from '../stored.ts';
import type { SessionNotice, SessionRequest } from './messages.ts';

export interface SessionThread {
  /** A file that runs a `LeaseKeeper`. */
  readonly file: URL;
  readonly sessionId: string;
  /** Sent to the thread beside what every session needs. */
  readonly data: object;
  /** How renewals of this lease are made; sent to the thread with it. */
  renewalOf(lease: StoredLease): unknown;
  readonly place: string;
  readonly connectTimeout: number;
}

/** Undefined if the data cannot be sent to a thread. Then the main thread renews the leases. */
export async function openThreadSession(
  session: SessionThread,
  options: EngineSessionOptions,
): Promise<EngineSession | undefined> {
  const { place, connectTimeout } = session;
  const { leaseMilliseconds, patienceMilliseconds, lost } = options;
  const beat = new ProgressBeat(leaseMilliseconds);
  const workerData = { ...session.data, leaseMilliseconds, patienceMilliseconds, progress: beat.shared };
  let thread: Worker;
  try {
    thread = new Worker(session.file, { workerData });
  } catch {
    // A password function cannot be sent to another thread.
    beat.stop();
    return undefined;
  }
  thread.unref();
  const opened = new Promise<void>((resolve, reject) => {
    thread.on('message', (notice: SessionNotice) => {
      if (notice.kind === 'open') resolve();
      else lost(notice.lease);
    });
    thread.once('error', reject);
    thread.once('exit', () => reject(new Error('The thread of the session ended.')));
  });
  let isClosing = false;
  thread.on('error', () => undefined);
  thread.once('exit', () => {
    if (!isClosing) options.ended();
  });
  opened.catch(() => undefined);
  thread.ref();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new StoreUnavailableError(`${place} cannot be reached.`, { place })),
      connectTimeout,
    );
  });
  try {
    await Promise.race([opened, late]);
  } catch (error) {
    isClosing = true;
    beat.stop();
    await thread.terminate();
    throw error;
  } finally {
    clearTimeout(timer);
  }
  thread.unref();
  let closing: Promise<void> | undefined;
  const send = (request: SessionRequest): void => thread.postMessage(request);
  return {
    owner: ownerOf(options.name, session.sessionId),
    keep: (lease) => send({ kind: 'keep', lease, renewal: session.renewalOf(lease) }),
    drop: ({ token }) => send({ kind: 'drop', token }),
    allow: (milliseconds) => beat.allow(milliseconds),
    close: () => {
      closing ??= (async () => {
        isClosing = true;
        beat.stop();
        const exited = new Promise((resolve) => thread.once('exit', resolve));
        send({ kind: 'close' });
        thread.ref();
        await exited;
      })();
      return closing;
    },
  };
}
