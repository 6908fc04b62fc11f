// Removes unreachable objects in batches, each object after those that refer to it. Each transaction commits only if no row
// of the space was written since the graph was read; otherwise it catches up with the changes and retries.
import type { Check, Key, RecordCollection, Revision, Store, Write } from '../../store/door.ts';
import { keepingRows, type CatchUp } from './catch-up.ts';
import { pardon, type CondemnedRecord } from './condemned.ts';
import { eachEntry, type Pace } from './pace.ts';
import { RemovalOrder } from './removal-order.ts';
import type { ReadObjects } from './read-rows.ts';
import { visitRecord } from './references.ts';
import type { ExtraRoots } from './roots.ts';
import { placeOf } from '../node.ts';
import { extentRows, indexRows, nodeRows, partRows, tagRows, type NodeRecord } from '../rows.ts';
import { pause } from '../transactions/transact.ts';

const objectsPerTransaction = 200;
const rowsPerTransaction = 5000;
const objectsPerRead = 500;

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
  const order = await RemovalOrder.of(graph, numbers, pace);
  await catchUp.run();
  let since = catchUp.revision;
  let tries = 0;
  let batch: Batch | undefined;
  for (let position = 0; position < order.size;) {
    batch ??= await batchAt(removal, order, position);
    const { objects, writes } = batch;
    if (objects.length > 0) {
      const [result] = await store.commit([{ checks: checksFor(removal, space, since), writes }]);
      if (result?.status !== 'committed') {
        if (++tries >= maxTries) return;
        await pause(tries);
        await catchUp.run();
        since = catchUp.revision;
        // The rows of objects that are still removable have not changed.
        if (!objects.every((number) => graph.isRemovable(number))) batch = undefined;
        continue;
      }
      // The checks held, so this space has not changed in between.
      since = result.revision;
      tries = 0;
      removed.objects += objects.length;
      removed.rows += writes.length;
      removed.indexEntries += batch.indexEntries;
      for (const number of objects) graph.setGone(number);
    }
    position += batch.groups;
    batch = undefined;
    await pace.step('remove', objects.length);
  }
}

// References from other spaces keep nothing, so writes there do not matter.
function checksFor({ roots }: Removal, space: string, since: Revision): Check[] {
  return [
    ...keepingRows.map((collection): Check => ({ kind: 'unchanged', collection, range: { prefix: [space] }, since })),
    ...roots.collections.map((collection): Check => ({ kind: 'unchanged', collection, range: {}, since })),
  ];
}

/** What one transaction removes. */
interface Batch {
  /** How many groups it covers. */
  groups: number;
  indexEntries: number;
  readonly objects: number[];
  readonly writes: Write[];
}

/** As many groups as fit into one transaction, but at least one: the members of a group are never removed separately. */
async function batchAt(removal: Removal, order: RemovalOrder, position: number): Promise<Batch> {
  const { graph } = removal.read;
  const groups: number[][] = [];
  for (let count = 0; count < objectsPerTransaction && position + groups.length < order.size;) {
    const group = order.group(position + groups.length).filter((number) => graph.isRemovable(number));
    groups.push(group);
    count += group.length;
  }
  const records = await readRecords(removal, groups.flat());
  const batch: Batch = { groups: 0, indexEntries: 0, objects: [], writes: [] };
  for (const group of groups) {
    if (batch.writes.length >= rowsPerTransaction) break;
    for (const number of group) {
      await addWrites(removal, number, records.get(number), batch);
      batch.objects.push(number);
    }
    batch.groups++;
  }
  return batch;
}

// Reads the current state; if it has changed, the checks fail.
async function readRecords(
  { store, read, pace }: Removal,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, NodeRecord>> {
  const records = new Map<number, NodeRecord>();
  for (let start = 0; start < numbers.length; start += objectsPerRead) {
    const some = numbers.slice(start, start + objectsPerRead);
    const entries = await store.read(
      nodeRows,
      some.map((number) => keyOf(read.graph.texts[number] as string)),
    );
    for (const [index, entry] of entries.entries())
      if (entry !== undefined) records.set(some[index] as number, entry.value);
    if (start > 0) await pace.step('read', 0);
  }
  return records;
}

/** Removes all rows of an object. */
async function addWrites(
  { store, read, condemned, pace, isReadonly }: Removal,
  number: number,
  record: NodeRecord | undefined,
  batch: Batch,
): Promise<void> {
  if (record === undefined) return;
  const { writes } = batch;
  const text = read.graph.texts[number] as string;
  const [space, id] = keyOf(text);
  const remove = (collection: RecordCollection<unknown>, key: Key): void =>
    void writes.push({ kind: 'remove', collection, key });
  const removeAll = async (collection: RecordCollection<unknown>): Promise<void> =>
    eachEntry(store, collection, { range: { prefix: [space, id] }, pace }, ({ key }) => remove(collection, key));

  remove(nodeRows, [space, id]);
  if ('class' in record) {
    remove(extentRows, [space, record.class, id]);
    for (const tag of record.tags ?? []) remove(tagRows, [space, tag, id]);
  } else if ('index' in record) {
    const before = writes.length;
    await removeAll(indexRows);
    batch.indexEntries += writes.length - before;
  } else if (visitRecord(record, () => undefined) !== 0) await removeAll(partRows);
  for (const key of read.entriesAcross.get(number) ?? []) {
    if (isReadonly(String(key[0]))) continue;
    remove(indexRows, key);
    batch.indexEntries++;
  }
  if (condemned.has(text)) writes.push(pardon(text));
}

function keyOf(text: string): [space: string, id: string] {
  const { space, id } = placeOf(text);
  return [space, id];
}
