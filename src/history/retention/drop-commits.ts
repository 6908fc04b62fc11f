// Drops commits, by a retention policy or a whole chain. Their packs stay as leftovers, because kept commits may need
// them; `gc` removes them.
import type { Check, Entry, Key, Store, Write } from '../../store/door.ts';
import { chains, commits, hashes, leftovers, tags, type LeftoverRecord } from '../collections.ts';
import { ownPack } from '../commit-record.ts';
import { withFence, type Fence } from './fence.ts';
import type { RetentionPolicy, RetentionReport } from '../history.ts';
import { readChain, readCommit, type IndexedCommit } from '../lookup.ts';
import { addressName, type StoredPath } from '../images/path.ts';
import { planRetention } from './retention.ts';
import { scanPolitely } from './scan-politely.ts';
import { seal, unseal, type Sealed } from '../seal.ts';
import { readTags } from '../tags.ts';

/** The needed fields of a verified record, because a chain may have very many. */
interface Candidate {
  readonly chain: string;
  readonly sequence: number;
  readonly hash: string;
  readonly index: Key;
  readonly time: number;
  readonly path: StoredPath;
  readonly owned: LeftoverRecord | undefined;
}

// Small, so that commits of others never wait long.
const batchSize = 100;

export async function applyRetention(
  store: Store,
  chain: string,
  policy: RetentionPolicy,
  now: number,
): Promise<RetentionReport> {
  // Usually there is nothing to drop, and then taking the fence would only disturb other collectors.
  const first = await plan(store, chain, policy, now);
  if (first.drop.length === 0) return { kept: first.all, dropped: 0 };
  let dropped = 0;
  return withFence(store, async (fence) => {
    const { all, drop, since } = await plan(store, chain, policy, now);
    const noNewTags: Check = { kind: 'unchanged', collection: tags, range: { prefix: [chain] }, since };
    for (let start = 0; start < drop.length; start += batchSize) {
      const group = drop.slice(start, start + batchSize);
      await fence.commit({ checks: [noNewTags], writes: group.flatMap(dropWrites) });
      dropped += group.length;
    }
    return { kept: all - drop.length, dropped };
  });
}

/** Marks the chain as removed, then drops its commits, newest first, so that concurrent writers conflict immediately. */
export async function removeChain(store: Store, chain: string): Promise<void> {
  await withFence(store, async (fence) => {
    const [entry] = await store.read(chains, [[chain]]);
    if (entry === undefined) return;
    const record = readChain(entry);
    if (!record.removed) {
      await fence.commit({
        checks: [{ kind: 'revision', collection: chains, key: [chain], revision: entry.revision }],
        writes: [{ kind: 'put', collection: chains, key: [chain], value: seal({ ...record, removed: true }) }],
      });
    }
    await removeAll(store, fence, chain);
  });
}

async function removeAll(store: Store, fence: Fence, chain: string): Promise<void> {
  for (;;) {
    const page = await store.scan(commits, { prefix: [chain] }, { reverse: true, limit: batchSize });
    if (page.entries.length === 0) break;
    await fence.commit({
      writes: page.entries.map(readCommit).map(slim).flatMap(dropWrites),
    });
  }
  for (;;) {
    const page = await store.scan(tags, { prefix: [chain] }, { limit: batchSize });
    if (page.entries.length === 0) break;
    await fence.commit({ writes: page.entries.map(({ key }) => ({ kind: 'remove', collection: tags, key })) });
  }
}

async function plan(
  store: Store,
  chain: string,
  policy: RetentionPolicy,
  now: number,
): Promise<{ readonly all: number; readonly drop: readonly Candidate[]; readonly since: number }> {
  const since = await store.revision();
  const tagged = new Set((await readTags(store, chain)).map(({ sequence }) => sequence));
  const candidates: Candidate[] = [];
  const packBytes = new Map<string, number>();
  for await (const entry of scanPolitely(store, commits, { prefix: [chain] })) {
    const candidate = slim(readCommit(entry));
    candidates.push(candidate);
    if (candidate.owned !== undefined) packBytes.set(addressName(candidate), candidate.owned.storedBytes);
  }
  for await (const entry of scanPolitely(store, leftovers, { prefix: [chain] })) {
    const [, sequence] = entry.key as [string, number];
    packBytes.set(addressName({ chain, sequence }), readLeftover(entry).storedBytes);
  }
  return { all: candidates.length, drop: planRetention(candidates, tagged, packBytes, policy, now), since };
}

function slim({ record, index }: IndexedCommit): Candidate {
  const { chain, sequence, hash, time, path, parts, storedBytes } = record;
  return { chain, sequence, hash, index, time, path, owned: ownPack(record) && { parts, storedBytes } };
}

function dropWrites({ chain, sequence, index, owned }: Candidate): Write[] {
  const writes: Write[] = [
    { kind: 'remove', collection: commits, key: [chain, sequence] },
    { kind: 'remove', collection: hashes, key: index },
  ];
  if (owned !== undefined)
    writes.push({ kind: 'put', collection: leftovers, key: [chain, sequence], value: seal(owned) });
  return writes;
}

export function readLeftover({ key, value }: Entry<Sealed<LeftoverRecord>>): LeftoverRecord {
  return unseal<LeftoverRecord>(value, `Leftover ${String(key[1])} of chain '${String(key[0])}'`);
}
