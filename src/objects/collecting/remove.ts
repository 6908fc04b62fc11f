// Removes unreachable objects in batches. Each transaction commits only if no row of the space was written since the graph
// was read; otherwise it catches up with the changes and retries.
import type { Check, Key, RecordCollection, Revision, Store, Write } from '../../store/door.ts';
import { keepingRows, type CatchUp } from './catch-up.ts';
import { pardon, type CondemnedRecord } from './condemned.ts';
import { eachEntry, type Pace } from './pace.ts';
import type { ReadObjects } from './read-rows.ts';
import { visitRecord } from './references.ts';
import type { ExtraRoots } from './roots.ts';
import { placeOf } from '../node.ts';
import { extentRows, indexRows, nodeRows, partRows, tagRows } from '../rows.ts';
import { pause } from '../transactions/transact.ts';

const objectsPerTransaction = 200;
const rowsPerTransaction = 5000;

/** How many conflicts in a row until the rest is deferred to the next run. */
const maxTries = 20;

export interface Removal {
  readonly store: Store;
  readonly read: ReadObjects;
  readonly condemned: ReadonlyMap<string, CondemnedRecord>;
  readonly roots: ExtraRoots;
  readonly catchUp: CatchUp;
  readonly pace: Pace;
  isReadonly(space: string): boolean;
}

export interface Removed {
  objects: number;
  rows: number;
  indexEntries: number;
}

/** Removes those of `due` that stay unreachable. The rest is left for the next run. */
export async function removeObjects(removal: Removal, due: readonly number[]): Promise<Removed> {
  const removed: Removed = { objects: 0, rows: 0, indexEntries: 0 };
  if (due.length === 0) return removed;
  const { graph } = removal.read;
  const spaces = Map.groupBy(due, (number) => placeOf(graph.texts[number] as string).space);
  for (const [space, numbers] of spaces) await removeIn(removal, space, numbers, removed);
  return removed;
}

async function removeIn(removal: Removal, space: string, numbers: readonly number[], removed: Removed): Promise<void> {
  const { store, catchUp, pace } = removal;
  const { graph } = removal.read;
  await catchUp.run();
  let since = catchUp.revision;
  let tries = 0;
  for (let position = 0; position < numbers.length;) {
    const batch = numbers
      .slice(position, position + objectsPerTransaction)
      .filter((number) => !graph.isKept(number) && !graph.isGone(number));
    const { count, writes, indexEntries } = await writesFor(removal, batch);
    if (count > 0) {
      const [result] = await store.commit([{ checks: checksFor(removal, space, since), writes }]);
      if (result?.status !== 'committed') {
        if (++tries >= maxTries) return;
        await pause(tries);
        await catchUp.run();
        since = catchUp.revision;
        continue;
      }
      // The checks held, so this space has not changed in between.
      since = result.revision;
      tries = 0;
      removed.objects += count;
      removed.rows += writes.length;
      removed.indexEntries += indexEntries;
      for (const number of batch.slice(0, count)) graph.setGone(number);
    }
    if (count === batch.length) position += objectsPerTransaction;
    await pace.step('remove', count);
  }
}

// References from other spaces keep nothing, so writes there do not matter.
function checksFor({ roots }: Removal, space: string, since: Revision): Check[] {
  return [
    ...keepingRows.map((collection): Check => ({ kind: 'unchanged', collection, range: { prefix: [space] }, since })),
    ...roots.collections.map((collection): Check => ({ kind: 'unchanged', collection, range: {}, since })),
  ];
}

interface Writes {
  /** How many objects of the batch are covered. */
  count: number;
  indexEntries: number;
  readonly writes: Write[];
}

/** Removes all rows of these objects, or of as many as fit into one transaction. */
async function writesFor(removal: Removal, batch: readonly number[]): Promise<Writes> {
  const { store, read, condemned, pace } = removal;
  const found: Writes = { count: 0, indexEntries: 0, writes: [] };
  const remove = (collection: RecordCollection<unknown>, key: Key): void =>
    void found.writes.push({ kind: 'remove', collection, key });
  const removeAll = async (collection: RecordCollection<unknown>, prefix: Key): Promise<void> =>
    eachEntry(store, collection, { range: { prefix }, pace }, ({ key }) => remove(collection, key));

  const texts = batch.map((number) => read.graph.texts[number] as string);
  const places = texts.map((text) => placeOf(text));
  // Reads the current state; if it has changed, the checks fail.
  const entries = await store.read(
    nodeRows,
    places.map(({ space, id }) => [space, id]),
  );
  for (const [index, entry] of entries.entries()) {
    if (found.writes.length >= rowsPerTransaction) break;
    found.count++;
    if (entry === undefined) continue;
    const { space, id } = places[index] as { space: string; id: string };
    const record = entry.value;
    remove(nodeRows, [space, id]);
    if ('class' in record) {
      remove(extentRows, [space, record.class, id]);
      for (const tag of record.tags ?? []) remove(tagRows, [space, tag, id]);
    } else if ('index' in record) {
      const before = found.writes.length;
      await removeAll(indexRows, [space, id]);
      found.indexEntries += found.writes.length - before;
    } else if (visitRecord(record, () => undefined) !== 0) await removeAll(partRows, [space, id]);
    for (const key of read.entriesAcross.get(batch[index] as number) ?? []) {
      if (removal.isReadonly(String(key[0]))) continue;
      remove(indexRows, key);
      found.indexEntries++;
    }
    const text = texts[index] as string;
    if (condemned.has(text)) found.writes.push(pardon(text));
  }
  return found;
}
