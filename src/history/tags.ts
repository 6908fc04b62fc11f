// Named commits. A tag protects its commit from retention; checks make tagging and dropping conflict.
import { scanAll, type Entry, type Store, type TransactionPart } from '../store/door.ts';
import { commits, tags, type TagRecord } from './collections.ts';
import { HistoryArgumentError } from './errors.ts';
import type { FoundCommit } from './lookup.ts';
import { checkName } from './names.ts';
import { seal, unseal, type Sealed } from './seal.ts';

export function prepareTag(
  chain: string,
  { record, revision }: FoundCommit,
  name: string,
  time: number,
): TransactionPart {
  checkName('A tag', name);
  if (record.chain !== chain) {
    throw new HistoryArgumentError(
      `Commit ${record.hash.slice(0, 12)} belongs to chain '${record.chain}'. Tag it there.`,
      { chain: record.chain },
    );
  }
  const value = seal({ name, hash: record.hash, sequence: record.sequence, time });
  return {
    checks: [{ kind: 'revision', collection: commits, key: [chain, record.sequence], revision }],
    writes: [{ kind: 'put', collection: tags, key: [chain, name], value }],
  };
}

export async function prepareUntag(store: Store, chain: string, name: string): Promise<TransactionPart> {
  const key = [chain, checkName('A tag', name)];
  const [entry] = await store.read(tags, [key]);
  if (entry === undefined) throw new HistoryArgumentError(`Chain '${chain}' has no tag '${name}'.`, { chain, name });
  return {
    checks: [{ kind: 'revision', collection: tags, key, revision: entry.revision }],
    writes: [{ kind: 'remove', collection: tags, key }],
  };
}

export async function readTags(store: Store, chain: string): Promise<readonly TagRecord[]> {
  const found: TagRecord[] = [];
  for await (const entry of scanAll(store, tags, { prefix: [chain] })) found.push(readTag(entry));
  return found;
}

function readTag({ key, value }: Entry<Sealed<TagRecord>>): TagRecord {
  return unseal<TagRecord>(value, `Tag '${String(key[1])}' of chain '${String(key[0])}'`);
}
