// Volatile messages: at most once, in order, and of no consequence for anything else. No case relies on a single message
// to arrive; each publishes until it has been heard.
import assert from 'node:assert/strict';
import { StoreClosedError } from '../../errors.ts';
import type { Store, VolatileMessages } from '../../store.ts';
import { maxMessageLength } from '../../volatile/message.ts';
import { conformanceCase, type Trial } from '../case.ts';
import { records } from './collections.ts';
import { numbers, put, refuses, turn, write } from '../model/steps.ts';

function messagesOf(store: Store): VolatileMessages {
  assert.ok(store.volatile !== undefined, 'an engine with volatileMessages has store.volatile');
  return store.volatile;
}

/** Repeats something until a condition holds. Whoever runs the case has a limit for how long. */
async function until(isDone: () => boolean, repeat: () => void = () => undefined): Promise<void> {
  while (!isDone()) {
    repeat();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** What is heard on a channel. */
function hearing(store: Store, channel: string): string[] {
  const heard: string[] = [];
  messagesOf(store).listen(channel, (message) => heard.push(message));
  return heard;
}

/** Publishes growing numbers on a channel until one of them, or the next, is heard. */
async function untilHeard(publisher: Store, channel: string, heard: readonly string[], from = 1): Promise<void> {
  let number = from;
  await until(
    () => heard.some((message) => Number(message) >= from),
    () => messagesOf(publisher).publish(channel, String(number++)),
  );
}

function assertInOrder(heard: readonly string[], what: string): void {
  const order = heard.map(Number);
  for (const [index, number] of order.entries())
    assert.ok(index === 0 || number > (order[index - 1] ?? 0), `${what}: ${order[index - 1]} came before ${number}`);
}

const volatileCase = (name: string, body: (trial: Trial) => Promise<void>): ReturnType<typeof conformanceCase> =>
  conformanceCase(name, body, 'volatileMessages');

export const volatileCases = [
  volatileCase('volatile: a message reaches listeners of this store and of others', async ({ store, open }) => {
    const other = await open();
    const here = hearing(store, 'news');
    const there = hearing(other, 'news');
    const again = hearing(other, 'news');
    await untilHeard(store, 'news', there);
    // The other way round, too: what comes from others does not bring back what was published here.
    await untilHeard(other, 'answers', hearing(store, 'answers'));
    assert.deepEqual(again, there);
    for (const message of there) assert.ok(here.includes(message));
    for (const heard of [here, there]) assertInOrder(heard, 'once to each');
  }),

  volatileCase('volatile: messages of each publisher arrive in order, none twice', async ({ store, open }) => {
    const [left, right] = [await open(), await open()];
    const heard = { left: hearing(store, 'left'), right: hearing(store, 'right') };
    await untilHeard(left, 'left', heard.left);
    await untilHeard(right, 'right', heard.right);
    for (const number of numbers(300)) {
      messagesOf(left).publish('left', String(10_000 + number));
      messagesOf(right).publish('right', String(10_000 + number));
      if (number % 50 === 0) await turn();
    }
    await untilHeard(left, 'left', heard.left, 20_000);
    await untilHeard(right, 'right', heard.right, 20_000);
    assertInOrder(heard.left, 'left');
    assertInOrder(heard.right, 'right');
  }),

  volatileCase(
    'volatile: a publisher that is much too fast loses messages, not their order',
    async ({ store, open }) => {
      const other = await open();
      const heard = hearing(other, 'flood');
      await untilHeard(store, 'flood', heard);
      // More than waits to be sent, and all at once.
      const filling = ' '.repeat(10_000);
      for (const number of numbers(2000)) messagesOf(store).publish('flood', `${10_000 + number}${filling}`);
      await untilHeard(store, 'flood', heard, 20_000);
      assertInOrder(heard, 'flood');
    },
  ),

  volatileCase('volatile: a long message arrives whole, one that is too long not at all', async ({ store, open }) => {
    const other = await open();
    const heard = new Set<string>();
    messagesOf(other).listen('long', (message) => heard.add(message));
    const longest = '\u{1F600}'.repeat(maxMessageLength / 2);
    const awkward = '\0 "\\ \ud800 \uFFFF \u{10FFFF} ü\n';
    await until(
      () => heard.has(longest) && heard.has(awkward),
      () => {
        for (const message of [`${longest}x`, longest, awkward]) messagesOf(store).publish('long', message);
      },
    );
    assert.equal(heard.size, 2);
  }),

  volatileCase(
    'volatile: only the channel that is listened to is heard, and only until the end',
    async ({ store, open }) => {
      const other = await open();
      const kept = hearing(other, 'kept');
      const ended: string[] = [];
      const stop = messagesOf(other).listen('ended', (message) => ended.push(message));
      await untilHeard(store, 'ended', ended);
      stop();
      stop();
      messagesOf(store).publish('ended', 'too late');
      messagesOf(store).publish('kept ', 'another channel');
      await untilHeard(store, 'kept', kept);
      assert.ok(!ended.includes('too late'));
      assert.ok(!kept.includes('another channel'));
    },
  ),

  volatileCase('volatile: a listener that throws, or ends itself, harms nobody', async ({ store, open }) => {
    const other = await open();
    let once = 0;
    messagesOf(other).listen('news', () => {
      throw new Error('my own fault');
    });
    const stop = messagesOf(other).listen('news', () => {
      once++;
      stop();
    });
    const heard = hearing(other, 'news');
    await untilHeard(store, 'news', heard);
    await untilHeard(store, 'news', heard, 10_000);
    assert.equal(once, 1);
  }),

  volatileCase('volatile: a listener may publish, and hears that after what it is being told', async ({ store }) => {
    const heard: string[] = [];
    messagesOf(store).listen('ping', (message) => {
      if (message === '1') messagesOf(store).publish('ping', '2');
    });
    messagesOf(store).listen('ping', (message) => heard.push(message));
    messagesOf(store).publish('ping', '1');
    await until(() => heard.length === 2);
    assert.deepEqual(heard, ['1', '2']);
  }),

  volatileCase('volatile: nothing is committed, and commits go on', async ({ store, open }) => {
    const other = await open();
    const heard = hearing(other, 'news');
    await untilHeard(store, 'news', heard);
    const before = await store.revision();
    for (const number of numbers(100)) messagesOf(store).publish('news', String(10_000 + number));
    assert.equal(await write(store, put(records, ['k'], 1)), before + 1);
    await untilHeard(store, 'news', heard, 20_000);
    assert.equal(await other.revision(), before + 1);
    assert.deepEqual((await store.verify()).problems, []);
  }),

  volatileCase('volatile: closing ends listening; publishing does nothing then', async ({ store, open }) => {
    const other = await open();
    const heard = hearing(other, 'news');
    await untilHeard(store, 'news', heard);
    await other.close();
    const { length } = heard;
    messagesOf(other).publish('news', 'from a closed store');
    await refuses(StoreClosedError, () => messagesOf(other).listen('news', () => undefined));
    const third = hearing(await open(), 'news');
    await untilHeard(store, 'news', third);
    assert.equal(heard.length, length);
    assert.ok(!third.includes('from a closed store'));
  }),
];
