// Concurrent claims by four processes from one work collection.
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { once } from 'node:events';
import type { Store } from '../../src/index.ts';
import { queue } from './workload.ts';

export interface ClaimFigures {
  readonly perSecond: number;
  /** How many items each process got. */
  readonly shares: readonly number[];
  readonly claimedTwice: number;
}

/** `location` and `schema` are what a child needs to open the same store. */
export async function measureClaims(
  store: Store,
  target: { location: string; schema?: string },
  items: number,
  atOnce: number,
): Promise<ClaimFigures> {
  for (let start = 0; start < items; start += 1000) {
    const writes = Array.from({ length: Math.min(1000, items - start) }, (_, index) => ({
      kind: 'put' as const,
      collection: queue,
      key: [start + index],
      value: { job: `job-${start + index}` },
    }));
    await store.commit([{ writes }]);
  }
  const children = Array.from({ length: 4 }, () =>
    fork(join(import.meta.dirname, 'claimer-child.ts'), [target.location, target.schema ?? '', String(atOnce)]),
  );
  await Promise.all(children.map((child) => once(child, 'message')));
  const started = performance.now();
  const answers = children.map(async (child) => ((await once(child, 'message')) as [number[]])[0]);
  for (const child of children) child.send('go');
  const claimed = await Promise.all(answers);
  const seconds = (performance.now() - started) / 1000;
  const every = claimed.flat();
  if (new Set(every).size !== items) throw new Error(`${items} items were there, ${new Set(every).size} were claimed.`);
  return { perSecond: items / seconds, shares: claimed.map((own) => own.length), claimedTwice: every.length - items };
}
