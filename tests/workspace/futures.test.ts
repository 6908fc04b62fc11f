// Things a program waits for: calls of asynchronous functions, timers, signals and questions.
import { expect, it } from 'vitest';
import { ManualClock } from '../../src/base/clock.ts';
import { openKit, openWorkspace, storeFolder, valueOf } from './support/kits.ts';

it('runs synchronous functions within the slice', async () => {
  const workspace = await openWorkspace({ vars: { add: (a: number, b: number) => a + b } });
  const step = await workspace.run('[add(1, 2), add.name, typeof add]');
  expect(step.value).toEqual([3, 'add', 'function']);
  expect(await workspace.commits()).toHaveLength(3);
});

it('records calls of asynchronous functions before they are made', async () => {
  const kit = await openKit();
  const seen: string[] = [];
  const gate = Promise.withResolvers<void>();
  const workspace = await kit.workspace('main', {
    vars: {
      mailer: {
        send: async (to: string) => {
          // The intent is in the store when the call is made.
          await gate.promise;
          seen.push((await workspace.waiting()).map(({ label }) => label).join());
          return { id: `mail to ${to}` };
        },
      },
    },
  });
  const step = await workspace.run('const mail = await mailer.send("ann"); mail.id');
  expect(step).toMatchObject({ status: 'suspended', waiting: [{ kind: 'call', label: 'mailer.send(…)' }] });
  gate.resolve();
  expect(await workspace.settled()).toMatchObject({ status: 'done', value: 'mail to ann' });
  expect(seen).toEqual(['mailer.send(…)']);
});

it('throws what an asynchronous function throws, where it is awaited', async () => {
  const workspace = await openWorkspace({
    vars: { refuse: async () => Promise.reject(Object.assign(new RangeError('late'), { code: 'LATE' })) },
  });
  await workspace.run(
    'let caught; try { await refuse(); } catch (error) { caught = [error instanceof RangeError, error.message, error.code]; } finally { print("cleaned up"); } caught',
  );
  expect(await workspace.settled()).toMatchObject({ value: [true, 'late', 'LATE'], console: ['cleaned up'] });
});

it('says where in the code a call was asked for that failed', async () => {
  const workspace = await openWorkspace({
    vars: { refuse: async () => Promise.reject(new RangeError('late')) },
  });
  await workspace.run('function pay() {\n  return refuse();\n}');
  await workspace.run('const a = 1;\n\nawait pay();');
  const { error } = await workspace.settled();
  expect(error).toMatchObject({ name: 'RangeError', message: 'late', line: 2 });
  expect(error?.frame).toContain('return refuse();');
  expect(error?.stack?.split('\n').map((line) => line.trim())).toEqual([
    expect.stringMatching(/^at pay \(step 1:2:\d+\)$/),
    expect.stringMatching(/^at \(step 2:3:\d+\)$/),
  ]);
});

it('refuses a promise from a function that is not declared async', async () => {
  const workspace = await openWorkspace({
    vars: {
      sneaky: () => Promise.reject(new Error('unseen')),
      // eslint-disable-next-line unicorn/no-thenable
      thenable: () => Object.fromEntries([['then', () => undefined]]),
    },
  });
  expect((await workspace.run('sneaky()')).error).toMatchObject({
    name: 'PromiseReturnedError',
    code: 'PROMISE_RETURNED',
  });
  expect((await workspace.run('thenable()')).error?.message).toMatch(
    /thenable returned a promise, but is not declared async/,
  );
});

it('refuses to hand functions and passing objects to asynchronous functions', async () => {
  class Row {
    n = 1;
    async load(): Promise<number> {
      return this.n;
    }
  }
  let calls = 0;
  const workspace = await openWorkspace({ vars: { later: async () => void calls++, row: () => new Row() } });
  expect((await workspace.run('await later(() => 1)')).error?.message).toMatch(/function/);
  expect((await workspace.run('await later(row())')).error?.message).toMatch(/given Row/);
  expect((await workspace.run('await row().load()')).error).toMatchObject({ code: 'NOT_DURABLE' });
  expect(calls).toBe(0);
});

it('waits for several things at once', async () => {
  const kit = await openKit();
  const gate = Promise.withResolvers<void>();
  const twice = async (n: number): Promise<number> => gate.promise.then(() => n * 2);
  const workspace = await kit.workspace('main', { vars: { twice } });
  const step = await workspace.run('const all = await Promise.all([twice(1), signal("s"), twice(3)]); all');
  expect(step.waiting.map(({ kind }) => kind)).toEqual(['call', 'signal', 'call']);
  await kit.signal('s', 'payload');
  gate.resolve();
  expect((await workspace.settled()).value).toEqual([2, 'payload', 6]);
});

it('sleeps by the kit’s clock', async () => {
  const clock = new ManualClock(Date.UTC(2026, 0, 1));
  const kit = await openKit({ clock });
  const workspace = await kit.workspace('main');
  const step = await workspace.run(
    'await sleep(60_000); print("woken", new Date()); await until("2026-02-01"); print("later", new Date()); await until(new Date(0)); "end"',
  );
  expect(step.waiting).toMatchObject([{ kind: 'sleep', due: new Date('2026-01-01T00:01:00Z') }]);
  clock.advance(59_999);
  await kit.runUntilIdle();
  expect(await workspace.console()).toEqual([]);
  clock.advance(1);
  await kit.runUntilIdle();
  expect(await workspace.console()).toEqual(['woken 2026-01-01T00:01:00Z']);
  clock.advance(31 * 24 * 3_600_000);
  await kit.runUntilIdle();
  expect(await workspace.step(1)).toMatchObject({
    status: 'done',
    value: 'end',
    console: ['woken 2026-01-01T00:01:00Z', 'later 2026-02-01T00:01:00Z'],
  });
});

it('refuses times that are none', async () => {
  const workspace = await openWorkspace();
  for (const call of ['sleep(-1)', 'sleep("soon")', 'until("someday")', 'signal("")', 'signal(5)'])
    expect((await workspace.run(`await ${call}`)).error?.name).toBe('TypeError');
  expect((await workspace.run('await sleep(Infinity)')).status).toBe('failed');
  expect((await workspace.run('sleep(1e12); "a long time"')).value).toBe('a long time');
});

it('takes signals in order, sent before or after the wait', async () => {
  const kit = await openKit();
  const workspace = await kit.workspace('main');
  await kit.signal('order', 1);
  await kit.signal('order', { n: 2 });
  await workspace.run('const got = []; for (let i = 0; i < 4; i++) got.push(await signal("order")); got');
  await kit.runUntilIdle();
  expect((await workspace.waiting()).map(({ signal }) => signal)).toEqual(['order']);
  await kit.signal('other', 'not this one');
  await kit.signal('order', new Date(0));
  await kit.signal('order');
  expect((await workspace.settled()).value).toEqual([1, { n: 2 }, new Date(0), undefined]);
});

it('gives each signal to one wait, the oldest first', async () => {
  const clock = new ManualClock(1000);
  const kit = await openKit({ clock });
  const first = await kit.workspace('b first');
  const second = await kit.workspace('a second');
  await first.run('await signal("go")');
  clock.advance(1);
  await second.run('await signal("go")');
  await kit.signal('go', 'one');
  await kit.runUntilIdle();
  expect([(await first.step(1)).status, (await second.step(1)).status]).toEqual(['done', 'suspended']);
  await kit.signal('go', 'two');
  expect((await second.settled()).value).toBe('two');
});

it('refuses payloads that are no data', async () => {
  const kit = await openKit();
  await expect(kit.signal('s', () => 1)).rejects.toThrow(/plain data/);
  await expect(kit.signal('')).rejects.toThrow(/needs a name/);
});

it('asks people, and takes the first answer', async () => {
  const kit = await openKit();
  const workspace = await kit.workspace('main');
  const step = await workspace.run('const answer = await ask("Which day?", { options: ["Mon", "Tue"] }); answer.day');
  expect(step.waiting).toMatchObject([{ kind: 'ask', question: 'Which day?' }]);
  const id = step.waiting[0]?.id ?? '';
  await kit.answer(id, { day: 'Tue' });
  await expect(kit.answer(id, { day: 'Mon' })).rejects.toMatchObject({ code: 'WORKSPACE_STATE' });
  await expect(kit.answer('main/99', 1)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(kit.answer('nonsense', 1)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect((await workspace.settled()).value).toBe('Tue');
});

it('refuses to answer what is not a question', async () => {
  const kit = await openKit();
  const step = await (await kit.workspace('main')).run('await signal("s")');
  await expect(kit.answer(step.waiting[0]?.id ?? '', 1)).rejects.toMatchObject({ code: 'WORKSPACE_STATE' });
});

it('is signalled and answered from another kit on the same store', async () => {
  const folder = storeFolder();
  const waiting = await openKit({ store: folder });
  const other = await openKit({ store: folder });
  const workspace = await waiting.workspace('main');
  const step = await workspace.run(
    'const answer = await ask("ok?"); const payload = await signal("go"); [answer, payload]',
  );
  const settled = workspace.settled();
  await other.answer(step.waiting[0]?.id ?? '', 'yes');
  await other.signal('go', 7);
  expect((await settled).value).toEqual(['yes', 7]);
});

it('fails a step that waits for nothing', async () => {
  const workspace = await openWorkspace();
  await workspace.run('let kept = 1;');
  const step = await workspace.run('kept = 2; await new Promise(() => {}); kept = 3;');
  expect(step).toMatchObject({ status: 'failed', error: { name: 'DeadlockError', code: 'DEADLOCK' } });
  expect(await valueOf(workspace, 'kept')).toBe(1);
});

it('goes on with what a step left running', async () => {
  const kit = await openKit();
  const workspace = await kit.workspace('main');
  const step = await workspace.run(
    'let result = "none"; signal("late").then((value) => { result = value; print("in the background", value); }); "done"',
  );
  expect(step).toMatchObject({ status: 'done', console: ["Not awaited: signal 'late'"] });
  await kit.signal('late', 5);
  await kit.runUntilIdle();
  expect(await valueOf(workspace, 'result')).toBe(5);
  expect(await workspace.console()).toContain('in the background 5');
});

it('survives background code that meets a limit', async () => {
  const kit = await openKit();
  const workspace = await kit.workspace('main', { limits: { softCpuMilliseconds: 100, hardCpuMilliseconds: 200 } });
  await workspace.run('signal("spin").then(() => { for (;;); }); let ok = 1;');
  await kit.signal('spin');
  await kit.runUntilIdle();
  expect((await workspace.console()).at(-1)).toMatch(/^Nobody caught: LimitError/);
  expect(await valueOf(workspace, 'ok')).toBe(1);
});

it('undoes a step that is all or nothing, also after it has waited', async () => {
  const kit = await openKit();
  let calls = 0;
  const workspace = await kit.workspace('main', { vars: { effect: async () => ++calls } });
  await workspace.run('const list = ["before"]; signal("early").then((value) => list.push(value));');
  await workspace.run(
    'list.push("first slice"); await effect(); list.push("second"); await Promise.race([signal("a"), signal("b")]); throw new Error("at last");',
    { allOrNothing: true },
  );
  await kit.runUntilIdle();
  expect(calls).toBe(1);
  await kit.signal('early', 'early value');
  await kit.signal('a');
  const step = await workspace.settled();
  expect(step).toMatchObject({ status: 'failed', error: { message: 'at last', line: 1 } });
  expect(await valueOf(workspace, 'list')).toEqual(['before', 'early value']);
  expect(await workspace.waiting()).toEqual([]);
  expect(calls).toBe(1);
});

it('undoes it when a limit ends it after a wait', async () => {
  const kit = await openKit();
  const workspace = await kit.workspace('main', { limits: { softCpuMilliseconds: 100, hardCpuMilliseconds: 200 } });
  await workspace.run('let n = 0;');
  await workspace.run('n = 1; await signal("go"); n = 2; for (;;);', { allOrNothing: true });
  await kit.signal('go');
  expect(await workspace.settled()).toMatchObject({ status: 'failed', error: { code: 'LIMIT' } });
  expect(await valueOf(workspace, 'n')).toBe(0);
});
