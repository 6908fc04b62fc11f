// Opens a store that may not exist yet, together with others, and writes something.
import { mustCommit } from '../../../src/store/must-commit.ts';
import { asChild, openAt, type MeetingPlace } from './child.ts';
import { counters, items, notes } from './collections.ts';

export interface FirstOpenTask {
  readonly place: MeetingPlace;
  readonly index: number;
}

await asChild(async ({ place, index }: FirstOpenTask, start) => {
  await start();
  const store = await openAt(place);
  await store.declare(counters, items, notes);
  const revision = await mustCommit(store, {
    writes: [{ kind: 'put', collection: notes, key: [index], value: index }],
  });
  await store.close();
  return revision;
});
