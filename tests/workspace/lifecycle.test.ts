// Kits are opened and closed, in one process or several; what is pending is never lost, and nothing runs twice at once.
import { expect, it } from 'vitest';
import { ManualClock } from '../../src/base/clock.ts';
import { InvalidOptionError, openStore, Statek } from '../../src/index.ts';
import { openKit, storeFolder, valueOf } from './support/kits.ts';
import { withCommit } from './support/stores.ts';

it('never runs one workspace in two kits at once', async () => {
  const folder = storeFolder();
  const kits = await Promise.all([openKit({ store: folder }), openKit({ store: folder })]);
  const workspaces = await Promise.all(kits.map((kit) => kit.workspace('shared')));
  await workspaces[0]?.run('let n = 0;');
  const steps = await Promise.all(
    [...workspaces, ...workspaces, ...workspaces].map((workspace) => workspace.run('++n')),
  );
  const ordered = steps.toSorted((a, b) => a.number - b.number);
  expect(ordered.map(({ number, value }) => [number, value])).toEqual([2, 3, 4, 5, 6, 7].map((n) => [n, n - 1]));
});

it('can be looked at while another process runs it', async () => {
  const folder = storeFolder();
  const begun = Promise.withResolvers<void>();
  const slow = async (): Promise<void> => {
    begun.resolve();
    await new Promise(() => undefined);
  };
  const running = await openKit({ store: folder });
  const workspace = await running.workspace('main', { vars: { slow } });
  await workspace.run('const state = "busy"; print("working"); await slow();');
  await begun.promise;
  const looking = await (await openKit({ store: folder })).workspace('main');
  expect(await looking.step(1)).toMatchObject({ status: 'suspended', console: ['working'] });
  expect(await looking.locals()).toMatchObject({ state: 'busy' });
  expect((await looking.waiting()).map(({ label }) => label)).toEqual(['slow(…)']);
});

it('begins a step anew, under a new number, when its lease was lost to another process', async () => {
  const clock = new ManualClock(1_000_000);
  const store = await openStore('memory:overtaken', { clock });
  const rival = await openStore('memory:overtaken', { clock });
  const second = await openKit({ store: rival, clock });
  let armed = false;
  const overtaken = withCommit(store, async (transactions, commit) => {
    if (armed) {
      armed = false;
      clock.advance(60_000);
      await (await second.workspace('main')).run('order.push("rival"); "rival"');
      // It lets go as a process does that has died.
      clock.advance(60_000);
    }
    return commit(transactions);
  });
  const first = await openKit({ store: overtaken, clock });
  const workspace = await first.workspace('main');
  await workspace.run('const order = [];');
  armed = true;
  const step = await workspace.run('order.push("first"); order');
  expect(step).toMatchObject({ number: 3, status: 'done', value: ['rival', 'first'] });
  expect((await workspace.step(2)).value).toBe('rival');
});

it('is made with its variables in one commit, or not at all', async () => {
  const folder = storeFolder();
  // The first to open a store sets it up.
  await (await Statek.open({ store: folder })).close();
  const store = await openStore(folder);
  let left = 0;
  const dying = withCommit(store, async (transactions, commit) => {
    if (left-- <= 0) throw new Error('cut off');
    return commit(transactions);
  });
  const first = await openKit({ store: dying });
  await expect(first.workspace('main', { vars: { n: 1 } })).rejects.toThrow('cut off');
  expect(await first.findWorkspace('main')).toBeUndefined();
  left = 1;
  const made = await first.workspace('other', { vars: { n: 2 } });
  expect(await made.locals()).toEqual({ n: 2 });
  expect((await made.commits()).map(({ kind }) => kind)).toEqual(['variables', 'created']);
  await first.close();
  await store.close();
  const second = await openKit({ store: folder });
  expect(await valueOf(await second.workspace('main', { vars: { n: 5 } }), 'n')).toBe(5);
  expect(await valueOf(await second.workspace('other'), 'n')).toBe(2);
});

it('defines variables once when two kits make a workspace at the same time', async () => {
  const folder = storeFolder();
  const kits = await Promise.all([openKit({ store: folder }), openKit({ store: folder })]);
  const made = await Promise.all(kits.map((kit, index) => kit.workspace('main', { vars: { who: index } })));
  const values = await Promise.all(made.map((workspace) => valueOf(workspace, 'who')));
  expect(new Set(values).size).toBe(1);
  expect((await made[0]?.commits())?.filter(({ kind }) => kind === 'variables')).toHaveLength(1);
});

it('waits for calls under way when it is closed, and records what comes of them', async () => {
  const folder = storeFolder();
  const gate = Promise.withResolvers<string>();
  const begun = Promise.withResolvers<void>();
  const bank = {
    pay: async (): Promise<string> => {
      begun.resolve();
      return gate.promise;
    },
  };
  const first = await openKit({ store: folder, services: { bank } });
  await (await first.workspace('main', { vars: { bank } })).run('await bank.pay()');
  await begun.promise;
  const closing = first.close();
  gate.resolve('paid');
  await closing;
  const second = await openKit({ store: folder, services: { bank } });
  await second.runUntilIdle();
  expect((await (await second.workspace('main')).step(1)).value).toBe('paid');
});

it('refuses everything once it is closed, and lets those go who wait', async () => {
  const kit = await Statek.open({ store: 'memory:' });
  const workspace = await kit.workspace('main');
  await workspace.run('await signal("never")');
  const waiting = workspace.settled().catch((error: unknown) => error);
  await kit.close();
  expect(await waiting).toMatchObject({ code: expect.stringMatching(/KIT_CLOSED|STORE_CLOSED/) as unknown });
  await expect(workspace.run('1')).rejects.toMatchObject({ code: 'KIT_CLOSED' });
  await expect(workspace.settled()).rejects.toMatchObject({ code: 'KIT_CLOSED' });
  await kit.close();
});

it('leaves a store open that it was given', async () => {
  const store = await openStore('memory:');
  const first = await Statek.open({ store });
  await (await first.workspace('main')).run('let n = 1;');
  await first.close();
  const second = await openKit({ store });
  expect(await valueOf(await second.workspace('main'), 'n')).toBe(1);
});

it('refuses options that do not exist and values they cannot take', async () => {
  const wrong = [
    { stores: 'memory:' },
    { store: 'memory:', liveWorkspaces: 0 },
    { store: 'memory:', leaseMilliseconds: 1 },
    { store: 'memory:', memoryMegabytes: 1.5 },
  ];
  for (const options of wrong) await expect(Statek.open(options as never)).rejects.toThrow(InvalidOptionError);
  const kit = await openKit();
  await expect(kit.workspace('main', { variables: {} } as never)).rejects.toThrow(InvalidOptionError);
  await expect(kit.workspace('main', { language: 'cobol' as never })).rejects.toThrow(InvalidOptionError);
  await expect(kit.workspace('')).rejects.toThrow(InvalidOptionError);
  await expect(kit.workspace('main', { vars: { 'not a name': 1 } })).rejects.toThrow(InvalidOptionError);
  const workspace = await kit.workspace('main');
  await expect(workspace.run('1', { ifbusy: 'refuse' } as never)).rejects.toThrow(InvalidOptionError);
  await expect(workspace.run('1', { ifBusy: 'wait' as never })).rejects.toThrow(InvalidOptionError);
  await expect(workspace.commits({ count: 1 } as never)).rejects.toThrow(InvalidOptionError);
  await expect(kit.gc({ keep: 1 } as never)).rejects.toThrow(InvalidOptionError);
  await expect(kit.close({ now: true } as never)).rejects.toThrow(InvalidOptionError);
});
