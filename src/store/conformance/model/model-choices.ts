// Random transactions, ranges and keys: few different ones, so that they meet often.
import type { Collection } from '../../collection.ts';
import type { Key } from '../../key.ts';
import type { Range } from '../../range.ts';
import type { Check, Lease, Transaction, Write } from '../../store.ts';
import { byteVersions, bytes, records, versions, work } from '../cases/collections.ts';
import type { StoreModel } from './model.ts';
import type { Random } from './random.ts';

const parts = ['', 'a', 'a\0', '😀', 0, -1.5] as const;

export const modelCollections = [records, versions, bytes, byteVersions, work] as const;

export function anyKey(random: Random): Key {
  return Array.from({ length: random.chance(0.75) ? 1 : 2 }, () => random.pick(parts));
}

export function anyCollection(random: Random): Collection {
  return random.pick<Collection>(modelCollections);
}

export function anyRange(random: Random): Range {
  switch (random.whole(0, 5)) {
    case 0:
      return {};
    case 1:
      return { prefix: [random.pick(parts)] };
    case 2:
      return { startsWith: random.pick(['', 'a', 'a\0', '😀']) };
    case 3:
      return { from: anyKey(random) };
    case 4:
      return { prefix: [random.pick(parts)], to: anyKey(random) };
    default:
      return { from: anyKey(random), to: anyKey(random) };
  }
}

export function anyTransaction(random: Random, model: StoreModel, leases: readonly Lease[]): Transaction {
  const lease = leases.length > 0 && random.chance(0.3) ? random.pick(leases) : undefined;
  return {
    checks: Array.from({ length: random.whole(0, 2) }, () => anyCheck(random, model)),
    leases: lease === undefined ? [] : [{ lease, afterwards: random.pick(['keep', 'release'] as const) }],
    writes: anyWrites(random),
  };
}

function anyWrites(random: Random): Write[] {
  const writes: Write[] = [];
  for (let count = random.whole(0, 3); count > 0; count--) {
    const collection = anyCollection(random);
    const key = anyKey(random);
    if (writes.some((write) => write.collection === collection && same(write.key, key))) continue;
    if (random.chance(0.3)) writes.push({ kind: 'remove', collection, key });
    else writes.push({ kind: 'put', collection, key, value: anyValue(random, collection) });
  }
  return writes;
}

function anyValue(random: Random, collection: Collection): unknown {
  const number = random.whole(0, 255);
  return collection.holds === 'bytes' ? new Uint8Array([number, 0]) : { number };
}

/** Mostly one that holds now, so that transactions commit about as often as they conflict. */
function anyCheck(random: Random, model: StoreModel): Check {
  const collection = anyCollection(random);
  const recent = Math.max(0, model.revision - random.whole(-1, 6));
  if (random.chance(0.4)) return { kind: 'unchanged', collection, range: anyRange(random), since: recent };
  const key = anyKey(random);
  const entry = model.get(collection, key);
  if (random.chance(0.2)) return { kind: 'revision', collection, key, revision: Math.max(1, recent) };
  if (entry === undefined || random.chance(0.1)) return { kind: 'absent', collection, key };
  return { kind: 'revision', collection, key, revision: entry.revision };
}

function same(a: Key, b: Key): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
