// Everything a chain of commits is rebuilt from: its own rows, and those of the chains it was forked from, as far as it needs them.
import { scanAll, type Collection, type Key, type Store } from '../store/door.ts';
import { commitOf, indexKey, readRecord } from './commit-record.ts';
import { bootParts, boots, chains, commits, hashes, leftovers, packs, tags } from './collections.ts';
import type { Commit } from './history.ts';
import { addressName, readPath } from './images/path.ts';
import { readChain } from './lookup.ts';

/** A row of some collection. */
export interface ChainRow {
  readonly collection: Collection;
  readonly key: Key;
  readonly value: unknown;
  /** What the row is, if it is a commit. */
  readonly commit?: Commit;
}

/** The collections `chainRows` gives rows of. */
export const chainCollections = [chains, commits, hashes, packs, tags, boots, bootParts, leftovers] as const;

/** The rows of a chain and of what it rests on; each once. */
export async function* chainRows(store: Store, chain: string): AsyncGenerator<ChainRow, void, undefined> {
  const seen = { packs: new Set<string>(), boots: new Set<string>() };
  let place: { readonly chain: string; readonly upTo: number } | undefined = { chain, upTo: Infinity };
  while (place !== undefined) {
    const { chain: name, upTo }: { readonly chain: string; readonly upTo: number } = place;
    const [entry] = await store.read(chains, [[name]]);
    if (entry === undefined) return;
    yield { collection: chains, key: [name], value: entry.value };
    for await (const { key, value } of scanAll(store, commits, { prefix: [name] })) {
      const sequence = key[1] as number;
      if (sequence > upTo) break;
      const record = readRecord(value, { chain: name, sequence });
      yield { collection: commits, key, value, commit: commitOf(record) };
      yield { collection: hashes, key: indexKey(value, record), value: sequence };
      for (const address of readPath(record.path)) yield* packRows(store, address, seen.packs);
      yield* bootRows(store, record.boot, seen.boots);
    }
    for await (const { key, value } of scanAll(store, tags, { prefix: [name] }))
      if (value.sequence <= upTo) yield { collection: tags, key, value };
    const { origin } = readChain(entry);
    place = origin === null ? undefined : { chain: origin.chain, upTo: origin.sequence };
  }
}

async function* packRows(
  store: Store,
  address: { readonly chain: string; readonly sequence: number },
  seen: Set<string>,
): AsyncGenerator<ChainRow, void, undefined> {
  const name = addressName(address);
  if (seen.has(name)) return;
  seen.add(name);
  const prefix = [address.chain, address.sequence];
  for await (const { key, value } of scanAll(store, packs, { prefix })) yield { collection: packs, key, value };
  // The pack of a commit that was dropped is collected with the last commit that needs it.
  const [left] = await store.read(leftovers, [prefix]);
  if (left !== undefined) yield { collection: leftovers, key: prefix, value: left.value };
}

async function* bootRows(store: Store, hash: string, seen: Set<string>): AsyncGenerator<ChainRow, void, undefined> {
  if (seen.has(hash)) return;
  seen.add(hash);
  const [boot] = await store.read(boots, [[hash]]);
  if (boot === undefined) return;
  yield { collection: boots, key: [hash], value: boot.value };
  for await (const { key, value } of scanAll(store, bootParts, { prefix: [hash] }))
    yield { collection: bootParts, key, value };
}
