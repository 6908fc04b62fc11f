// The frame of a child process: it takes a task, waits until all are ready, works, and prints what came of it.
import { createInterface } from 'node:readline';
import { openStore } from '../../../src/store/open.ts';
import { openPostgres } from '../../../src/store/postgres/open.ts';
import { openRedis } from '../../../src/store/redis/open.ts';
import type { Store } from '../../../src/store/store.ts';

/** Where the processes meet. */
export type MeetingPlace =
  | { readonly engine: 'sqlite'; readonly folder: string }
  | { readonly engine: 'postgres'; readonly url: string; readonly schema: string }
  | { readonly engine: 'redis'; readonly url: string; readonly keyPrefix: string };

export function openAt(place: MeetingPlace): Promise<Store> {
  if (place.engine === 'sqlite') return openStore(place.folder);
  if (place.engine === 'redis')
    return openRedis(place.url, { keyPrefix: place.keyPrefix, poolSize: 3, durability: 'relaxed' });
  return openPostgres(place.url, { schema: place.schema, poolSize: 3, allowUnsafeServer: true });
}

/** Runs `work` with the task it was started with. `start` says that it is ready and waits for the others. */
export async function asChild(work: (task: never, start: () => Promise<void>) => Promise<unknown>): Promise<void> {
  const task = JSON.parse(process.argv[2] ?? 'null') as never;
  const lines = createInterface({ input: process.stdin });
  const start = async (): Promise<void> => {
    process.stdout.write('ready\n');
    await new Promise((resolve) => lines.once('line', resolve));
    lines.close();
  };
  const result = await work(task, start);
  process.stdout.write(`${JSON.stringify(result ?? null)}\n`);
}
