// A process that loses its lease between looking at a workspace and beginning a step must look again: what it decided was
// about a program that has gone on without it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Statek } from '../../src/kit/statek.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'statek-overtaken-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A store that stops at the first look for queued steps, and renews no lease from then on until it is told to. */
function slow(store: Store): { store: Store; reached: Promise<void>; renewed(): Promise<void>; goOn(): void } {
  const reached = Promise.withResolvers<void>();
  const mayRenew = Promise.withResolvers<void>();
  const hasRenewed = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  let isSlow = false;
  const wrapped = new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      // A session would renew past this.
      if (name === 'openSession') return undefined;
      return async (...parameters: unknown[]) => {
        if (name === 'scan' && !isSlow && (parameters[0] as { name: string }).name === 'steps') {
          isSlow = true;
          reached.resolve();
          await gate.promise;
        }
        if (name === 'renew' && isSlow) {
          await mayRenew.promise;
          setTimeout(hasRenewed.resolve, 50);
        }
        return (await Reflect.apply(member, target, parameters)) as unknown;
      };
    },
  });
  const renewed = (): Promise<void> => {
    mayRenew.resolve();
    return hasRenewed.promise;
  };
  return { store: wrapped, reached: reached.promise, renewed, goOn: () => gate.resolve() };
}

it('does not begin a step in a program that somebody else has begun one in', async () => {
  const own = await openStore(folder);
  const late = slow(own);
  const first = await Statek.open({ store: late.store, leaseMilliseconds: 200 });
  const second = await Statek.open({ store: folder, leaseMilliseconds: 200 });
  const mine = await first.workspace('w');
  const running = mine.run('const seen = typeof waited; "mine"');
  await late.reached;
  // The lease runs out, and the other process begins a step that waits.
  const theirs = await second.workspace('w');
  expect(await theirs.run('const waited = await signal("go"); "theirs"')).toMatchObject({ status: 'suspended' });
  // It gives the lease back; the first one finds out that it had lost it, and can have it again.
  await second.close();
  await late.renewed();
  late.goOn();
  expect(await running).toMatchObject({ status: 'queued' });
  await first.signal('go', 1);
  const last = await mine.settled();
  expect(last).toMatchObject({ status: 'done', value: 'mine' });
  expect(await mine.locals()).toMatchObject({ waited: 1, seen: 'number' });
  await first.close();
  await own.close();
});
