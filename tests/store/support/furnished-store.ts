// A store with something of everything in it, and a way to read all of it, to compare before and after damage.
import { bytesCollection, recordCollection, workCollection, type Collection } from '../../../src/store/collection.ts';
import { openSqlite } from '../../../src/store/sqlite/open.ts';
import type { Store, Write } from '../../../src/store/store.ts';

const records = recordCollection<unknown>('records');
const versions = recordCollection<unknown>('versions', { keeps: 'versions' });
const bytes = bytesCollection('bytes');
const work = workCollection<unknown>('work');
export const furniture: readonly Collection[] = [records, versions, bytes, work];

/** Fills a store and closes it. */
export async function furnish(file: string): Promise<void> {
  const store = await openSqlite(file, { durability: 'relaxed' });
  await furnishStore(store);
  await store.close();
}

/** Fills an open store. */
export async function furnishStore(store: Store): Promise<void> {
  await store.declare(...furniture);
  await furnishMore(store, 0, 12);
  await store.claim(work, { owner: 'somebody', limit: 5, leaseMilliseconds: 60_000 });
  await store.prune(40);
}

/** Twelve commits for each round. */
export async function furnishMore(store: Store, from: number, to: number): Promise<void> {
  for (let round = from; round < to; round++)
    await store.commit(Array.from({ length: 12 }, (_, index) => ({ writes: writesOf(round, index) })));
}

function writesOf(round: number, index: number): Write[] {
  const number = (round * 7 + index * 5) % 60;
  const filling = `${round}.${index} `.repeat(5 + ((number * 37) % 120));
  const [kind, value] = number % 9 === 0 && round > 3 ? (['remove', undefined] as const) : (['put', filling] as const);
  return [
    { kind, collection: records, key: ['part', number], value: { filling: value, round } },
    { kind, collection: versions, key: [number, 'version'], value: [round, value] },
    { kind, collection: bytes, key: [Buffer.from([number, 7])], value: Buffer.from(filling) },
    { kind: 'put', collection: work, key: [round, index], value: { todo: filling } },
  ];
}

/** Everything that can be read, one line for each thing: entries, entries at an old revision, and changes. */
export async function readEverything(store: Store, at: number): Promise<string[]> {
  const lines: string[] = [];
  const head = await store.revision();
  lines.push(`revision ${head}, horizon ${await store.prune(0)}`);
  for (const collection of furniture) {
    for (const reverse of [false, true]) {
      for (const revision of collection.keeps === 'versions' ? [undefined, at] : [undefined]) {
        const name = `${collection.name}${reverse ? ' backwards' : ''}${revision === undefined ? '' : ` at ${revision}`}`;
        const { entries } = await store.scan(collection, {}, { reverse, limit: 10_000, at: revision });
        for (const { key, value, revision: written } of entries)
          lines.push(`${name} ${JSON.stringify(key)} ${written} ${show(value)}`);
      }
    }
  }
  for await (const { revision, changes } of store.follow({ since: at })) {
    lines.push(`change ${revision} ${JSON.stringify(changes)}`);
    if (revision >= head) break;
  }
  return lines;
}

function show(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : JSON.stringify(value);
}
