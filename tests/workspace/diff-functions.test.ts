// A function or class that was defined anew is a change, though it has the same name; given again as it was, it is none.
import { expect, it } from 'vitest';
import type { Workspace } from '../../src/index.ts';
import { openWorkspace } from './support/kits.ts';

async function changed(workspace: Workspace, source: string): Promise<readonly string[]> {
  const [before] = await workspace.commits();
  const step = await workspace.run(source);
  expect(step.error).toBeUndefined();
  const [after] = await workspace.commits();
  const differences = await workspace.diff(before?.hash ?? '', after?.hash ?? '');
  return differences.map(({ name, change }) => `${name} ${change}`).toSorted();
}

const nothing = 'nothing changed';

it.each([
  [
    'typescript',
    `function add(a: number) { return a + 1 }
class Room { beds = 2; size() { return this.beds } static build() { return new Room() } }
const tools = { list: [(x: number) => x * 2], byName: new Map([['f', () => 'one']]) };
const room = new Room(); let other = 1; const loop: any = { tools }; loop.loop = loop;`,
    [
      [nothing, `function add(a: number) { return a + 1 }`],
      ['add changed', 'function add(a: number) { return a + 2 }'],
      ['Room changed', `class Room { beds = 2; size() { return this.beds * 2 } static build() { return new Room() } }`],
      ['loop changed,tools changed', 'tools.list[0] = (x: number) => x * 3;'],
      ['loop changed,tools changed', `tools.byName.set('f', () => 'two');`],
      ['other changed', 'other = 2;'],
    ],
  ],
  [
    'python',
    `def add(a, b=1):
    return a + b
class Room:
    beds = 2
    def size(self):
        return [bed for bed in range(self.beds)]
    @staticmethod
    def build():
        return Room()
tools = {'list': [lambda x: x * 2], 'byName': {1: lambda: 'one'}}
room = Room()
other = 1`,
    [
      [nothing, `\n\ndef add(a, b=1):\n    return a + b`],
      ['add changed', 'def add(a, b=1):\n    return a - b'],
      ['add changed', 'def add(a, b=2):\n    return a - b'],
      ['Room changed', "Room.size = lambda self: 'large'"],
      ['tools changed', "tools['list'][0] = lambda x: x * 3"],
      ['tools changed', "tools['byName'][1] = lambda: 'two'"],
      ['other changed', 'other = 2'],
    ],
  ],
] as const)('in %s', async (language, first, changes) => {
  const workspace = await openWorkspace({ language });
  expect((await workspace.run(first)).error).toBeUndefined();
  for (const [expected, source] of changes) {
    const found = (await changed(workspace, source)).join(',');
    expect(`${source}: ${found === '' ? nothing : found}`).toBe(`${source}: ${expected}`);
  }
});

it('shows what a function was and is, and runs nothing that the program keeps', async () => {
  const workspace = await openWorkspace();
  await workspace.run(
    'let asked = 0; Function.prototype.toString = () => { asked++; return "the same" }; const f = () => 1;',
  );
  const [before] = await workspace.commits();
  await workspace.run('const f = () => 2;');
  const [after] = await workspace.commits();
  const [difference, ...more] = await workspace.diff(before?.hash ?? '', after?.hash ?? '');
  // Whoever makes all functions look the same has them look the same.
  expect([difference, more]).toEqual([undefined, []]);
  expect(await workspace.locals()).toMatchObject({ asked: 0 });
  const honest = await openWorkspace();
  await honest.run('const f = () => 1;');
  await honest.run('const f = () => 2;');
  const [now, then] = await honest.commits();
  expect(await honest.diff(then?.hash ?? '', now?.hash ?? '')).toEqual([
    { name: 'f', change: 'changed', before: '() => 1', after: '() => 2' },
  ]);
});
