// A session on PostgreSQL: a thread whose connection holds an advisory lock as long as the process lives. The server
// releases the lock when the connection ends, so other processes soon notice that this one died.
import type { EngineSession, EngineSessionOptions } from '../../engine/engine.ts';
import { newSessionId } from '../../engine/session-id.ts';
import { openThreadSession } from '../../engine/sessions/thread-session.ts';
import type { CollectionId } from '../../engine/stored.ts';
import type { Settings } from '../options.ts';
import type { KeeperData } from './session-thread.ts';

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
  const sessionId = newSessionId();
  const data: KeeperData = {
    settings: { ...settings, clockOffset: undefined } as KeeperData['settings'],
    lock: sessionLock(sessionId),
  };
  return openThreadSession(
    {
      file: new URL('./session-thread.ts', import.meta.url),
      sessionId,
      data,
      renewalOf: ({ collection }) => renewSql(collection),
      place: settings.place,
      connectTimeout: settings.connectTimeout,
    },
    options,
  );
}
