// Increments one counter many times, by compare-and-set.
import { asChild, openAt, type MeetingPlace } from './child.ts';
import { counters } from './collections.ts';

export interface IncrementTask {
  readonly place: MeetingPlace;
  readonly times: number;
}

await asChild(async ({ place, times }: IncrementTask, start) => {
  const store = await openAt(place);
  await store.declare(counters);
  const key = ['counter'];
  await start();
  for (let done = 0; done < times;) {
    const [entry] = await store.read(counters, [key]);
    const [result] = await store.commit([
      {
        checks: [
          entry === undefined
            ? { kind: 'absent', collection: counters, key }
            : { kind: 'revision', collection: counters, key, revision: entry.revision },
        ],
        writes: [{ kind: 'put', collection: counters, key, value: (entry?.value ?? 0) + 1 }],
      },
    ]);
    if (result?.status === 'committed') done++;
  }
  await store.close();
});
