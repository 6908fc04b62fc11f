// Listens to a channel. Tells what it hears until it is told to end, and returns all of it.
import { asChild, openAt, type MeetingPlace } from './child.ts';

export interface ListenTask {
  readonly place: MeetingPlace;
  readonly channel: string;
  /** It is enough when this was heard. */
  readonly last: string;
  /** Does nothing else for so long after each message. */
  readonly blockMilliseconds?: number;
}

await asChild(async ({ place, channel, last, blockMilliseconds }: ListenTask, start): Promise<readonly string[]> => {
  const store = await openAt(place);
  const heard: string[] = [];
  const enough = Promise.withResolvers<void>();
  store.volatile?.listen(channel, (message) => {
    heard.push(message);
    if (blockMilliseconds !== undefined) block(blockMilliseconds);
    if (message === last) enough.resolve();
  });
  await start();
  // Listening alone does not keep a process alive.
  const alive = setInterval(() => undefined, 1000);
  await enough.promise;
  clearInterval(alive);
  await store.close();
  return heard;
});

function block(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
