// Frees packs that no kept commit needs, and boot images that no chain starts from.
//
// Why this is safe while others commit: the fence prevents other removals during marking, so a new commit, fork or
// rollback can only refer to the path of a commit that existed and was marked. A commit prepared on a dropped one
// conflicts. And only packs of dropped commits are candidates.
import { scanUndamaged, type Key, type Store, type StoreCorruptError, type Write } from '../../store/door.ts';
import type { Damages } from '../past-damage.ts';
import {
  bootParts,
  boots,
  chains,
  commits,
  leftovers,
  packs,
  type BootRecord,
  type ChainRecord,
} from '../collections.ts';
import { readLeftover, removeChain } from './drop-commits.ts';
import { withFence, type Fence } from './fence.ts';
import type { GcProgress } from '../history.ts';
import { readChain, readCommit } from '../lookup.ts';
import { addressName } from '../images/path.ts';
import { unknownPacks } from './retention.ts';
import { scanPolitely } from './scan-politely.ts';
import { unseal } from '../seal.ts';

export interface Sweep {
  packsRemoved: number;
  packsStillNeeded: number;
  bootsRemoved: number;
  bytesFreed: number;
}

interface Watch {
  onProgress(progress: GcProgress): void;
  /** Throws if collection was aborted. */
  throwIfStopped(): void;
}

const packsPerTransaction = 50;

export async function collectGarbage(store: Store, watch: Watch, damages: Damages): Promise<Sweep> {
  const sweep: Sweep = { packsRemoved: 0, packsStillNeeded: 0, bootsRemoved: 0, bytesFreed: 0 };
  const families = await familiesToSweep(store, damages);
  let done = 0;
  for (const family of families) {
    watch.throwIfStopped();
    // What a commit needs that cannot be read is not known, so all of its family stays.
    await damages.past(() => sweepFamily(store, family, sweep, watch, damages));
    watch.onProgress({ phase: 'packs', done: ++done, total: families.length });
  }
  // A chain that cannot be read may have begun with any of the boot images.
  await damages.past(() => sweepBoots(store, sweep, watch));
  return sweep;
}

async function readChains(store: Store): Promise<ChainRecord[]> {
  const found: ChainRecord[] = [];
  for await (const entry of scanPolitely(store, chains, {})) found.push(readChain(entry));
  return found;
}

/** Chains that can be read, and the names of those that cannot. */
async function readableChains(
  store: Store,
  damages: Damages,
): Promise<{ readonly readable: readonly ChainRecord[]; readonly damaged: readonly string[] }> {
  const [readable, damaged]: [ChainRecord[], string[]] = [[], []];
  const note = (error: StoreCorruptError): void => {
    damages.note(error);
    damaged.push(String((error.details as { readonly key?: Key }).key?.[0]));
  };
  for await (const entry of scanUndamaged(store, chains, {}, note)) {
    const chain = await damages.past(async () => readChain(entry));
    if (chain === undefined) damaged.push(String(entry.key[0]));
    else readable.push(chain);
  }
  return { readable, damaged };
}

/** Families with leftovers or with chains whose removal is not finished. */
async function familiesToSweep(store: Store, damages: Damages): Promise<readonly string[]> {
  const families = new Set<string>();
  const { readable } = await readableChains(store, damages);
  for (const { chain, family, removed } of readable)
    await damages.past(async () => {
      if (removed) await removeChain(store, chain);
      if (removed || (await store.scan(leftovers, { prefix: [chain] }, { limit: 1 })).entries.length > 0) {
        families.add(family);
      }
    });
  return [...families];
}

async function sweepFamily(store: Store, family: string, sweep: Sweep, watch: Watch, damages: Damages): Promise<void> {
  let stillNeeded = 0;
  await withFence(store, async (fence) => {
    stillNeeded = 0;
    const { readable, damaged } = await readableChains(store, damages);
    const members = readable.filter((chain) => chain.family === family);
    const needed = new Set<string>();
    const inUse = new Set<string>();
    // A chain that cannot be read may be a fork in this family.
    for (const chain of [...members.map((member) => member.chain), ...damaged]) {
      for await (const entry of scanPolitely(store, commits, { prefix: [chain] })) {
        inUse.add(chain);
        for (const name of unknownPacks(readCommit(entry).record, needed)) needed.add(name);
      }
    }
    for (const { chain, removed } of members) {
      const left = await sweepChain(store, fence, chain, needed, sweep, watch);
      stillNeeded += left;
      if (removed && left === 0 && !inUse.has(chain)) {
        await fence.commit({ writes: [{ kind: 'remove', collection: chains, key: [chain] }] });
      }
    }
  });
  sweep.packsStillNeeded += stillNeeded;
}

/** Returns how many leftovers of the chain are still needed. */
async function sweepChain(
  store: Store,
  fence: Fence,
  chain: string,
  needed: ReadonlySet<string>,
  sweep: Sweep,
  watch: Watch,
): Promise<number> {
  let stillNeeded = 0;
  let writes: Write[] = [];
  let count = 0;
  let bytes = 0;
  const flush = async (): Promise<void> => {
    watch.throwIfStopped();
    await fence.commit({ writes });
    sweep.packsRemoved += count;
    sweep.bytesFreed += bytes;
    [writes, count, bytes] = [[], 0, 0];
  };
  for await (const entry of scanPolitely(store, leftovers, { prefix: [chain] })) {
    const [, sequence] = entry.key as [string, number];
    const { parts, storedBytes } = readLeftover(entry);
    if (needed.has(addressName({ chain, sequence }))) {
      stillNeeded++;
      continue;
    }
    writes.push({ kind: 'remove', collection: leftovers, key: entry.key });
    for (let part = 0; part < parts; part++) {
      writes.push({ kind: 'remove', collection: packs, key: [chain, sequence, part] });
    }
    bytes += storedBytes;
    if (++count >= packsPerTransaction) await flush();
  }
  if (writes.length > 0) await flush();
  return stillNeeded;
}

async function sweepBoots(store: Store, sweep: Sweep, watch: Watch): Promise<void> {
  const unused: string[] = [];
  const used = new Set((await readChains(store)).map(({ boot }) => boot as string));
  for await (const { key } of scanPolitely(store, boots, {})) {
    if (!used.has(key[0] as string)) unused.push(key[0] as string);
  }
  for (const [index, hash] of unused.entries()) {
    watch.throwIfStopped();
    await withFence(store, (fence) => sweepBoot(store, fence, hash, sweep));
    watch.onProgress({ phase: 'boots', done: index + 1, total: unused.length });
  }
}

async function sweepBoot(store: Store, fence: Fence, hash: string, sweep: Sweep): Promise<void> {
  const since = await store.revision();
  const [entry] = await store.read(boots, [[hash]]);
  if (entry === undefined || (await readChains(store)).some(({ boot }) => boot === hash)) return;
  const { parts, storedBytes } = unseal<BootRecord>(entry.value, `Boot image ${hash.slice(0, 12)}`);
  await fence.commit({
    checks: [
      { kind: 'revision', collection: boots, key: [hash], revision: entry.revision },
      { kind: 'unchanged', collection: chains, range: {}, since },
    ],
    writes: [
      { kind: 'remove', collection: boots, key: [hash] },
      ...Array.from({ length: parts }, (_, part): Write => ({
        kind: 'remove',
        collection: bootParts,
        key: [hash, part],
      })),
    ],
  });
  sweep.bootsRemoved++;
  sweep.bytesFreed += storedBytes;
}
