// Writes numbered notes, one commit each.
import { mustCommit } from '../../../src/store/must-commit.ts';
import { asChild, openAt, type MeetingPlace } from './child.ts';
import { notes } from './collections.ts';

export interface WriteTask {
  readonly place: MeetingPlace;
  readonly writer: number;
  readonly times: number;
}

await asChild(async ({ place, writer, times }: WriteTask, start) => {
  const store = await openAt(place);
  await store.declare(notes);
  await start();
  for (let index = 0; index < times; index++) {
    await mustCommit(store, { writes: [{ kind: 'put', collection: notes, key: [writer, index], value: index }] });
  }
  await store.close();
});
