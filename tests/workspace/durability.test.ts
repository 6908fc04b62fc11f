// What a program may keep: services and variables by their names, data as it is, and nothing else.
import { expect, it } from 'vitest';
import { openStore, Statek } from '../../src/index.ts';
import { openKit, openWorkspace, storeFolder, valueOf } from './support/kits.ts';
import { neverStartsCalls } from './support/stores.ts';

class Cursor {
  readonly rows = [{ id: 1 }, { id: 2 }];
  next(): { id: number } | undefined {
    return this.rows.shift();
  }
}

const database = { open: () => new Cursor(), many: () => [new Cursor(), new Cursor()] };

it('may use a passing object within a slice', async () => {
  const workspace = await openWorkspace({ vars: { database } });
  expect(
    await valueOf(
      workspace,
      '{ const cursor = database.open(); const ids = []; for (let row; (row = cursor.next()); ) ids.push(row.id); ids }',
    ),
  ).toEqual([1, 2]);
  expect(await valueOf(workspace, 'database.open().rows.map((row) => row.id)')).toEqual([1, 2]);
  expect(
    await valueOf(
      workspace,
      '{ const cursor = database.open(); const ring = { cursor }; ring.self = ring; } "garbage is not kept"',
    ),
  ).toBe('garbage is not kept');
});

it('gives a passing object by name where it is the value of a step', async () => {
  const workspace = await openWorkspace({ vars: { database } });
  expect(await valueOf(workspace, 'database.open()')).toEqual({ text: '[an object of the application]' });
});

const keeping: Record<string, readonly [source: string, path: string]> = {
  'a variable': ['const cursor = database.open();', 'The variable cursor still holds Cursor'],
  'a member': [
    'const report = { parts: [1, { source: database.open() }] };',
    'The variable report.parts[1].source still holds Cursor',
  ],
  'a map': ['const cache = new Map([["a", database.open()]]);', "The variable cache.get('a') still holds Cursor"],
  'a set': ['const all = new Set([database.open()]);', 'The variable all (a member) still holds Cursor'],
  'an instance': [
    'class Job { source = database.open() } const job = new Job();',
    'The variable job.source still holds Cursor',
  ],
  'a closure': [
    'const read = ((cursor) => () => cursor.next())(database.open());',
    'A closure or code that waits still holds Cursor',
  ],
  'an await': [
    '{ const cursor = database.open(); await sleep(1); cursor.next(); }',
    'A closure or code that waits still holds Cursor',
  ],
  'an array': [
    'const both = database.many();',
    'The variable both[0] still holds Cursor; The variable both[1] still holds Cursor',
  ],
};

for (const [name, [source, message]] of Object.entries(keeping)) {
  it(`may not keep it past the slice in ${name}`, async () => {
    const workspace = await openWorkspace({ vars: { database } });
    await workspace.run('let before = 1;');
    const step = await workspace.run(`before = 2; ${source}`);
    expect(step).toMatchObject({ status: 'failed', error: { name: 'NotDurableError', code: 'NOT_DURABLE' } });
    expect(step.error?.message).toContain(message);
    expect(step.error?.message).toContain('register it as a service');
    expect(await valueOf(workspace, 'before')).toBe(1);
  });
}

it('looks through no getter to find it', async () => {
  const workspace = await openWorkspace({ vars: { database } });
  const step = await workspace.run(
    'let fired = 0; const odd = { get trap() { fired++; return 1; }, cursor: database.open() };',
  );
  expect(step.error?.message).toContain('The variable odd.cursor');
});

it('may keep anything in a live kit', async () => {
  const kit = await openKit({ live: true });
  const workspace = await kit.workspace('main', { vars: { database } });
  await workspace.run('const cursor = database.open(); const [a, b] = database.many();');
  expect(await valueOf(workspace, '[cursor.next().id, cursor.next().id, a === b]')).toEqual([1, 2, false]);
  await expect(Statek.open({ store: storeFolder(), live: true })).rejects.toMatchObject({ code: 'INVALID_OPTION' });
});

it.each([
  ['typescript', 'const room = await find(); 0', '[room.name, room.greet()]'],
  ['python', 'room = find()\n0', '[room.name, room.greet()]'],
] as const)(
  'a live kit hands out instances of async functions with their methods, in %s',
  async (language, wait, use) => {
    class Room {
      name = 'Ada';
      greet(): string {
        return `I am ${this.name}`;
      }
    }
    const find = async (): Promise<Room> => new Room();
    const kit = await openKit({ live: true, services: { find } });
    const workspace = await kit.workspace('main', { language, vars: { find } });
    await workspace.run(wait);
    expect(await workspace.settled()).toMatchObject({ status: 'done' });
    expect(await valueOf(workspace, use)).toEqual(['Ada', 'I am Ada']);
  },
);

it('finds services again by name in another process', async () => {
  const folder = storeFolder();
  const sent: string[] = [];
  const mailer = { send: (to: string) => sent.push(`old ${to}`) };
  const second = await openKit({ store: folder, services: { mailer } });
  const workspace = await second.workspace('main', { vars: { mailer } });
  await workspace.run(
    'const keep = { inner: [mailer] }; const payload = await signal("go"); keep.inner[0].send(payload); keep.inner[0] === mailer',
  );
  await second.close();

  const third = await openKit({
    store: folder,
    services: { mailer: { send: (to: string) => sent.push(`new ${to}`) } },
  });
  await third.signal('go', 'ann');
  await third.runUntilIdle();
  expect(sent).toEqual(['new ann']);
  expect((await (await third.workspace('main')).step(1)).value).toBe(true);
});

it('starts an asynchronous call after a restart, once, with what the new process registered', async () => {
  const folder = storeFolder();
  const calls: string[] = [];
  const serviceOf = (name: string): object => ({ pay: async (amount: number) => calls.push(`${name} ${amount}`) });
  const old = serviceOf('old');
  const first = await openKit({ store: folder, services: { bank: old } });
  const workspace = await first.workspace('main', { vars: { bank: old } });
  await workspace.run('await signal("go"); await bank.pay(5); "paid"');
  await first.close();

  const second = await openKit({ store: folder, services: { bank: serviceOf('new') } });
  await second.signal('go');
  await second.runUntilIdle();
  expect(calls).toEqual(['new 5']);
});

it('names a service that is missing, leaves the workspace as it was, and goes on once it is there', async () => {
  const folder = storeFolder();
  const ledger = {
    lines: [] as string[],
    note: (line: string) => void ledger.lines.push(line),
    later: async () => 'later',
  };
  const first = await openKit({ store: folder, services: { ledger } });
  const workspace = await first.workspace('main', { vars: { ledger } });
  await workspace.run('let n = 0; await signal("go"); n = 1; ledger.note("here"); n = 2; await ledger.later();');
  await first.close();

  const bare = await openKit({ store: folder });
  await bare.signal('go');
  await expect(bare.runUntilIdle()).rejects.toMatchObject({
    code: 'BINDING_MISSING',
    message: expect.stringContaining("service 'ledger'") as unknown,
  });
  const looked = await bare.workspace('main');
  await expect(looked.settled()).rejects.toMatchObject({ code: 'BINDING_MISSING' });
  expect(await looked.locals()).toMatchObject({ n: 0 });
  expect((await looked.step(1)).status).toBe('suspended');
  const commits = (await looked.commits()).length;
  expect((await looked.commits()).length).toBe(commits);
  await bare.close();

  const whole = await openKit({ store: folder, services: { ledger } });
  await whole.runUntilIdle();
  const again = await whole.workspace('main');
  expect(await again.settled()).toMatchObject({ status: 'done', value: 'later' });
  expect(ledger.lines).toEqual(['here']);
});

/** Leaves a call in the store that was to be made, and was not. */
async function leaveCall(folder: string, source: string, bank: object): Promise<void> {
  const store = await openStore(folder);
  const kit = await openKit({ store: neverStartsCalls(store), services: { bank } });
  const step = await (await kit.workspace('main', { vars: { bank } })).run(source);
  expect(step.waiting.map(({ kind }) => kind)).toEqual(['call']);
  await kit.close();
  await store.close();
}

it('names a missing service also when only a call needs it', async () => {
  const folder = storeFolder();
  let calls = 0;
  const bank = { pay: async () => ++calls };
  await leaveCall(folder, 'await bank.pay()', bank);
  const bare = await openKit({ store: folder });
  await expect(bare.runUntilIdle()).rejects.toMatchObject({ code: 'BINDING_MISSING' });
  await expect((await bare.workspace('main')).settled()).rejects.toMatchObject({ code: 'BINDING_MISSING' });
  await bare.close();
  const whole = await openKit({ store: folder, services: { bank } });
  await whole.runUntilIdle();
  expect(calls).toBe(1);
  expect((await (await whole.workspace('main')).step(1)).value).toBe(1);
});

it('is given its variables again in another process', async () => {
  const folder = storeFolder();
  const first = await openKit({ store: folder });
  const one = await first.workspace('main', { vars: { greeter: { greet: () => 'old' }, settings: { a: 1 } } });
  await one.run('settings.a = 2;');
  await first.close();

  const second = await openKit({ store: folder });
  const bare = await second.workspace('main');
  await expect(bare.run('greeter.greet()')).rejects.toMatchObject({
    code: 'BINDING_MISSING',
    message: expect.stringContaining("object 'greeter'") as unknown,
  });
  await expect(bare.run('try { greeter.greet() } catch { "caught" }')).rejects.toMatchObject({
    code: 'BINDING_MISSING',
  });
  const again = await second.workspace('main', {
    vars: { greeter: { greet: () => 'new' }, settings: { a: 9 }, added: { extra: () => 1 } },
  });
  expect(await valueOf(again, '[greeter.greet(), settings.a, added.extra()]')).toEqual(['new', 2, 1]);
});

it('tells the program that the outcome of a call is unknown', async () => {
  const folder = storeFolder();
  const begun = Promise.withResolvers<void>();
  const bank = {
    pay: async () => {
      begun.resolve();
      await new Promise(() => undefined);
    },
  };
  const first = await openKit({ store: folder, services: { bank } });
  const workspace = await first.workspace('main', { vars: { bank } });
  await workspace.run(
    'let outcome; try { await bank.pay(); } catch (error) { outcome = [error.name, error.code]; } outcome',
  );
  await begun.promise;
  await first.close({ graceMilliseconds: 0 });

  let calls = 0;
  const second = await openKit({ store: folder, services: { bank: { pay: async () => ++calls } } });
  await second.runUntilIdle();
  const step = await (await second.workspace('main')).settled();
  expect(step.value).toEqual(['OutcomeUnknownError', 'OUTCOME_UNKNOWN']);
  expect(calls).toBe(0);
});

it('gives a call that a new version no longer has its error', async () => {
  const folder = storeFolder();
  await leaveCall(folder, 'await bank.pay().catch((error) => error.message)', { pay: async () => 1 });
  const kit = await openKit({ store: folder, services: { bank: { refund: async () => 1 } } });
  await kit.runUntilIdle();
  expect((await (await kit.workspace('main')).step(1)).value).toMatch(/no method 'pay'/);
});
