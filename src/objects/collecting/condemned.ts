// Objects that nothing leads to, and since when that is known. Application code may hold one in a variable and is given
// time to attach it; only what is still unreachable then is removed.
import { recordCollection } from '../../store/collection.ts';
import type { Revision, Store, Write } from '../../store/store.ts';
import { eachEntry, type Pace } from './pace.ts';
import { idText, placeOf } from '../node.ts';

export interface CondemnedRecord {
  /** In milliseconds since 1970. */
  readonly since: number;
  /** The graph was read at this revision. Whoever changed the object later still holds it. */
  readonly revision: Revision;
}

/** Unreachable objects that are not removed yet: [space, id]. */
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

/** Commits writes that are right by themselves, each whenever it comes. */
export async function commitInTurns(store: Store, writes: readonly Write[], pace: Pace): Promise<void> {
  for (let start = 0; start < writes.length; start += rowsPerTransaction) {
    const some = writes.slice(start, start + rowsPerTransaction);
    await store.commit([{ writes: some }]);
    await pace.step('condemn', some.length);
  }
}
