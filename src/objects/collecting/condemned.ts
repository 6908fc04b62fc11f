// Unreachable objects, and since when. Application code may hold one in a variable and has a grace period to attach it;
// only objects that are still unreachable after that are removed.
import { recordCollection, type Revision, type Store, type Write } from '../../store/door.ts';
import { eachEntry, type Pace } from './pace.ts';
import { idText, placeOf } from '../node.ts';

export interface CondemnedRecord {
  /** In milliseconds since 1970. */
  readonly since: number;
  /** The revision at which the graph was read. If the object changed later, it is still in use. */
  readonly revision: Revision;
}

/** Condemned objects: [space, id]. */
export const condemnedRows = recordCollection<CondemnedRecord>('object_condemned');

const rowsPerTransaction = 1000;

export async function readCondemned(store: Store, pace: Pace): Promise<Map<string, CondemnedRecord>> {
  const found = new Map<string, CondemnedRecord>();
  await eachEntry(store, condemnedRows, { pace }, ({ key, value }) => {
    const [space, id] = key as [string, string];
    found.set(idText(space, id), value);
  });
  return found;
}

export function condemn(text: string, record: CondemnedRecord): Write {
  const { space, id } = placeOf(text);
  return { kind: 'put', collection: condemnedRows, key: [space, id], value: record };
}

export function pardon(text: string): Write {
  const { space, id } = placeOf(text);
  return { kind: 'remove', collection: condemnedRows, key: [space, id] };
}

/** Commits independent writes in several transactions. */
export async function commitInTurns(store: Store, writes: readonly Write[], pace: Pace): Promise<void> {
  for (let start = 0; start < writes.length; start += rowsPerTransaction) {
    const some = writes.slice(start, start + rowsPerTransaction);
    await store.commit([{ writes: some }]);
    await pace.step('condemn', some.length);
  }
}
