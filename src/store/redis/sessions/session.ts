// A session on Redis: a thread whose connection listens to a channel of its own as long as the process lives. The server
// counts the listeners of a channel, so other processes soon notice that this one died.
import type { EngineSession, EngineSessionOptions } from '../../engine/engine.ts';
import { newSessionId } from '../../engine/session-id.ts';
import { openThreadSession } from '../../engine/sessions/thread-session.ts';
import type { Collections } from '../collections.ts';
import type { SeenHistory } from '../history.ts';
import { keyList, sessionChannel, type StoreKeys } from '../keys.ts';
import type { Settings } from '../options.ts';
import type { KeeperData, Renewal } from './session-thread.ts';

/** Undefined with a custom clock, or with settings that cannot be sent to a thread. Then the main thread renews the leases. */
export async function openSession(
  settings: Settings,
  options: EngineSessionOptions,
  history: SeenHistory,
  keys: StoreKeys,
  collections: Collections,
): Promise<EngineSession | undefined> {
  if (settings.hasOwnClock) return undefined;
  const sessionId = newSessionId();
  const data: KeeperData = {
    settings: { ...settings, clockOffset: undefined } as KeeperData['settings'],
    history: history.snapshot(),
    channel: sessionChannel(settings, sessionId),
  };
  return openThreadSession(
    {
      file: new URL('./session-thread.ts', import.meta.url),
      sessionId,
      data,
      renewalOf: ({ collection }): Renewal => {
        const of = collections.get(collection).keys;
        return { keys: [keys.meta, keys.log, ...keyList(of)], words: ['1', String(collection), of.kind] };
      },
      place: settings.place,
      connectTimeout: settings.connectTimeout,
    },
    options,
  );
}
