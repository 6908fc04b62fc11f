// A session on PostgreSQL: a thread whose connection holds an advisory lock as long as the process lives. The server
// releases the lock when the connection ends, so other processes soon notice that this one died.
import { Worker } from 'node:worker_threads';
import type { EngineSession, EngineSessionOptions } from '../../engine/engine.ts';
import { StoreUnavailableError } from '../../errors.ts';
import { ProgressBeat } from '../../engine/progress.ts';
import { newSessionId, ownerOf } from '../../engine/session-id.ts';
import type { CollectionId } from '../../engine/stored.ts';
import type { Settings } from '../options.ts';
import type { SessionNotice, SessionRequest, SessionThreadData } from './session-messages.ts';

/** The number of the advisory lock of a session. */
export function sessionLock(sessionId: string): bigint {
  return BigInt.asIntN(64, BigInt(`0x${sessionId}`));
}

/**
 * Undefined if a session is not possible: through a transaction-level pooler, with a custom clock, or with settings that
 * cannot be sent to a thread. Then the main thread renews the leases.
 */
export async function openSession(
  settings: Settings,
  options: EngineSessionOptions,
  renewSql: (collection: CollectionId) => string,
): Promise<EngineSession | undefined> {
  if (settings.hasOwnClock || (settings.throughPooler && settings.listenTarget === settings.target)) return undefined;
  const id = newSessionId();
  const { leaseMilliseconds, patienceMilliseconds, lost } = options;
  const beat = new ProgressBeat(leaseMilliseconds);
  const workerData: SessionThreadData = {
    settings: { ...settings, clockOffset: undefined } as SessionThreadData['settings'],
    lock: sessionLock(id),
    leaseMilliseconds,
    patienceMilliseconds,
    progress: beat.shared,
  };
  let thread: Worker;
  try {
    thread = new Worker(new URL('./session-thread.ts', import.meta.url), { workerData });
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
      () => reject(new StoreUnavailableError(`${settings.place} cannot be reached.`, { place: settings.place })),
      settings.connectTimeout,
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
  const send = (request: SessionRequest): void => thread.postMessage(request);
  return {
    owner: ownerOf(options.name, id),
    keep: (lease) => send({ kind: 'keep', lease, renew: renewSql(lease.collection) }),
    drop: ({ token }) => send({ kind: 'drop', token }),
    allow: (milliseconds) => beat.allow(milliseconds),
    close: async () => {
      isClosing = true;
      beat.stop();
      const exited = new Promise((resolve) => thread.once('exit', resolve));
      send({ kind: 'close' });
      thread.ref();
      await exited;
    },
  };
}
