// Variables branch by branch, at any commit, without running code of the program.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Durable, InvalidOptionError, NotFoundError, Statek } from '../../src/index.ts';

class Room extends Durable {
  static durable = { name: 'Room' };
  name = 'blue';
}

let kit: Statek;
beforeEach(async () => {
  kit = await Statek.open({ store: 'memory:', classes: [Room] });
});
afterEach(async () => kit.close());

describe('in TypeScript', () => {
  it('shows variables and their members, of every kind', async () => {
    const room = new Room();
    await kit.flush();
    const workspace = await kit.workspace('kinds', { vars: { room } });
    await workspace.run(`
      class Point { x = 1; y = [2, 3]; #hidden = 4; get sum() { throw new Error('never run'); } }
      const data = { text: 'a', list: [1, 2, 3], map: new Map<unknown, unknown>([['k', { deep: [10, 20] }], [7, 'seven']]), set: new Set(['x']) };
      const point = new Point(), when = new Date(0), big = 10n, fn = () => 1, self: any = {}; self.self = self;
    `);
    const { members, total } = await workspace.members();
    expect(total).toBe(members.length);
    const shown = Object.fromEntries(
      members.map(({ name, type, size }) => [name, size === undefined ? type : `${type} ${size}`]),
    );
    expect(shown).toMatchObject({
      room: 'handle',
      Point: 'class',
      data: 'object 4',
      point: 'Point 2',
      when: 'Date',
      big: 'bigint',
      fn: 'function',
      self: 'object 1',
    });
    expect(members.find(({ name }) => name === 'room')?.object).toMatch(/./);
    expect(
      (await workspace.members(['data', 'map'])).members.map(({ name, step, text }) => [name, step, text]),
    ).toEqual([
      ['k', 'k', '{ deep: [10, 20] }'],
      ['7', 1, "'seven'"],
    ]);
    expect((await workspace.members(['data', 'map', 'k', 'deep', 1])).text).toBe('20');
    expect((await workspace.members(['data', 'set', 0])).text).toBe("'x'");
    expect((await workspace.members(['point', 'y'])).total).toBe(2);
    expect((await workspace.members(['self', 'self', 'self'])).members).toHaveLength(1);
  });

  it('reads a page of a large value wherever it is', async () => {
    const workspace = await kit.workspace('large');
    await workspace.run(`
      const noise = Array.from({ length: 3000 }, (_, i) => ({ i, more: [{ i }] }));
      const holder = { rows: Array.from({ length: 200_000 }, (_, i) => i), wide: Object.fromEntries(Array.from({ length: 5000 }, (_, i) => ['n' + i, i])) };
    `);
    const page = await workspace.members(['holder', 'rows'], { offset: 150_000, limit: 3 });
    expect(page.total).toBe(200_000);
    expect(page.members.map(({ name, step, text }) => [name, step, text])).toEqual([
      ['150000', 150_000, '150000'],
      ['150001', 150_001, '150001'],
      ['150002', 150_002, '150002'],
    ]);
    const wide = await workspace.members(['holder', 'wide'], { offset: 4998, limit: 10 });
    expect([wide.total, wide.members.map(({ name }) => name)]).toEqual([5000, ['n4998', 'n4999']]);
    expect((await workspace.members(['noise', 2999, 'more', 0, 'i'])).text).toBe('2999');
    expect((await workspace.members(['holder', 'rows'], { offset: 500_000 })).members).toEqual([]);
  });

  it('is as it was at a commit', async () => {
    const workspace = await kit.workspace('past');
    const first = await workspace.run('const a = { n: [1] }');
    await workspace.run('a.n.push(2)');
    expect((await workspace.at(first.commit ?? '')).members(['a', 'n']).total).toBe(1);
    expect((await workspace.members(['a', 'n'])).total).toBe(2);
  });

  it('says what is missing, and rejects invalid paths', async () => {
    const workspace = await kit.workspace('none');
    await workspace.run('const a = { n: [1] }; const p = new Proxy({}, { get() { throw new Error("run"); } })');
    for (const path of [['b'], ['a', 'm'], ['a', 'n', 5], ['a', 'n', 0, 'x'], ['p', 'x'], ['a', '__proto__']])
      await expect(workspace.members(path)).rejects.toThrow(NotFoundError);
    await expect(workspace.members([-1] as never)).rejects.toThrow(InvalidOptionError);
    await expect(workspace.members('a' as never)).rejects.toThrow(InvalidOptionError);
  });
});

it('does the same in Python', async () => {
  const workspace = await kit.workspace('python', { language: 'python' });
  await workspace.run(
    [
      'class Point:',
      '    def __init__(self): self.x = 1; self.rows = list(range(5000))',
      '    def __getattr__(self, name): raise SystemExit("never run")',
      'point = Point()',
      'data = {"k": {"deep": [10, 20]}, 7: "seven"}',
      'pair = (1, {2, 3})',
    ].join('\n'),
  );
  const { members } = await workspace.members();
  expect(members.map(({ name }) => name)).toEqual(['Point', 'point', 'data', 'pair']);
  expect(
    (await workspace.members(['point', 'rows'], { offset: 4000, limit: 2 })).members.map(({ text }) => text),
  ).toEqual(['4000', '4001']);
  expect((await workspace.members(['point', 'rows'])).total).toBe(5000);
  expect((await workspace.members(['data', 'k', 'deep', 1])).text).toBe('20');
  expect((await workspace.members(['data', 1])).text).toBe("'seven'");
  expect((await workspace.members(['pair', 1])).total).toBe(2);
  await expect(workspace.members(['pair', 9])).rejects.toThrow(NotFoundError);
});
