// Claims items and finishes them, until there are none.
import { asChild, openAt, type MeetingPlace } from './child.ts';
import { done, items } from './collections.ts';

export interface ClaimTask {
  readonly place: MeetingPlace;
  readonly owner: string;
  readonly limit: number;
}

/** The items this process finished. */
export type ClaimResult = readonly number[];

await asChild(async ({ place, owner, limit }: ClaimTask, start): Promise<ClaimResult> => {
  const store = await openAt(place);
  await store.declare(items, done);
  await start();
  const finished: number[] = [];
  for (;;) {
    const claims = await store.claim(items, { owner, limit, leaseMilliseconds: 600_000 });
    if (claims.length === 0) break;
    const results = await store.commit(
      claims.map(({ entry, lease }) => ({
        checks: [{ kind: 'absent', collection: done, key: entry.key } as const],
        leases: [{ lease, afterwards: 'release' } as const],
        writes: [
          { kind: 'remove', collection: items, key: entry.key } as const,
          { kind: 'put', collection: done, key: entry.key, value: owner } as const,
        ],
      })),
    );
    for (const [index, result] of results.entries()) {
      if (result.status === 'conflict') throw new Error(`An item was lost: ${result.conflict.message}`);
      finished.push(claims[index]?.entry.value ?? -1);
    }
  }
  await store.close();
  return finished;
});
