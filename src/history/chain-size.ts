// How much the commits of a chain take in the store.
import { scanAll, type Store } from '../store/door.ts';
import { commits } from './collections.ts';
import { readRecord } from './commit-record.ts';

export async function storedBytesOf(store: Store, chain: string): Promise<number> {
  let bytes = 0;
  for await (const { key, value } of scanAll(store, commits, { prefix: [chain] }))
    bytes += readRecord(value, { chain, sequence: key[1] as number }).storedBytes;
  return bytes;
}
