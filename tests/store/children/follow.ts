// Follows the notes from the beginning, and tells what it saw.
import { asChild, openAt, type MeetingPlace } from './child.ts';
import { notes } from './collections.ts';

export interface FollowTask {
  readonly place: MeetingPlace;
  readonly count: number;
}

/** Revision, writer and number of each change. */
export type FollowResult = readonly (readonly [revision: number, writer: unknown, index: unknown])[];

await asChild(async ({ place, count }: FollowTask, start): Promise<FollowResult> => {
  const store = await openAt(place);
  await store.declare(notes);
  await start();
  const seen: [number, unknown, unknown][] = [];
  for await (const { revision, changes } of store.follow({ collections: [notes], since: 0 })) {
    for (const { key } of changes) seen.push([revision, key[0], key[1]]);
    if (seen.length >= count) break;
  }
  await store.close();
  return seen;
});
