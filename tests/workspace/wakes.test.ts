// Whoever waits for a workspace hears of what other processes do to it, also of what they do in the very moment in which
// listening begins, and after listening had to begin anew.
import { expect, it, onTestFinished } from 'vitest';
import { openStore, Statek, type Store } from '../../src/index.ts';
import type { FollowOptions } from '../../src/store.ts';
import { storeFolder } from './support/kits.ts';

/** A store that does something each time its changes are to be followed, before it does so. */
function beforeFollowing(store: Store, action: (time: number) => Promise<void>): Store {
  let times = 0;
  return new Proxy(store, {
    get(target, name) {
      if (name === 'follow')
        return async function* (options: FollowOptions) {
          await action(++times);
          yield* target.follow(options);
        };
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

/** A kit in which a program waits for a signal, and one on the same store that is about to wait for that program. */
async function twoKits(action: (first: Statek, time: number) => Promise<void>): Promise<Statek> {
  const folder = storeFolder();
  const stores = [await openStore(folder), await openStore(folder)] as const;
  const first = await Statek.open({ store: stores[0] });
  await (await first.workspace('main')).run("const said = await signal('go'); said");
  // It lets go of the workspace, and goes on sending.
  await first.close();
  const sender = await Statek.open({ store: stores[0] });
  const second = await Statek.open({ store: beforeFollowing(stores[1], (time) => action(sender, time)) });
  onTestFinished(async () => {
    await Promise.all([sender.close(), second.close()]);
    for (const store of stores) await store.close();
  });
  return second;
}

it('hears of what happens while it begins to listen', async () => {
  const kit = await twoKits((sender) => sender.signal('go', 'now'));
  expect((await (await kit.workspace('main')).settled()).value).toBe('now');
});

it('looks again when listening had to begin anew', async () => {
  const kit = await twoKits(async (sender, time) => {
    if (time > 1) return;
    await sender.signal('go', 'again');
    throw new Error('The line went dead.');
  });
  expect((await (await kit.workspace('main')).settled()).value).toBe('again');
});
