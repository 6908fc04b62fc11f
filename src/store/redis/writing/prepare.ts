// Opening a store: finds or creates it, and refuses what is not ours.
import { randomUUID } from 'node:crypto';
import { StoreForeignError, StoreNewerError } from '../../errors.ts';
import type { Connections } from '../connections.ts';
import { SeenHistory } from '../history.ts';
import type { StoreKeys } from '../keys.ts';
import type { Settings } from '../options.ts';
import { openScript } from '../scripts.ts';

/** Identifies the keys as ours. */
const application = 'statek';

/** The current layout. A store with a higher version is rejected. */
const formatVersion = 1;

export async function prepareStore(
  connections: Connections,
  keys: StoreKeys,
  settings: Settings,
): Promise<SeenHistory> {
  const { place } = settings;
  const reply = await connections.useWithRetry(async (session) => {
    const words = [application, String(formatVersion), randomUUID()];
    const found = await session.evaluate(openScript, [keys.meta, keys.log, keys.collections], words);
    await session.durable();
    return found;
  });
  const texts = reply as readonly (Buffer | null)[];
  const [owner, format, incarnation, head, mark] = texts.map((text) => text?.toString());
  if (owner !== application || incarnation === undefined || !/^\d+$/.test(format ?? ''))
    throw new StoreForeignError(
      `${place} belongs to another program: there are keys that Statek did not create. Choose another keyPrefix.`,
      { keyPrefix: settings.keyPrefix },
    );
  if (Number(format) > formatVersion)
    throw new StoreNewerError(
      `${place} was written by a newer Statek: its format is ${format}, this version supports up to ${formatVersion}. Upgrade Statek.`,
      { keyPrefix: settings.keyPrefix, format: Number(format), known: formatVersion },
    );
  return new SeenHistory({ incarnation, revision: Number(head), mark: mark ?? '' });
}
