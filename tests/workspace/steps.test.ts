// Steps are cells of TypeScript: what they declare stays, what they throw does not take it away.
import { expect, it } from 'vitest';
import { errorOf, openWorkspace, valueOf } from './support/kits.ts';

it('gives the value of the last expression', async () => {
  const workspace = await openWorkspace();
  expect(await valueOf(workspace, 'const x = 20; x + 1')).toBe(21);
  expect(await valueOf(workspace, 'let y = 1;')).toBeUndefined();
  expect(await valueOf(workspace, 'if (x > 1) { "large" } else { "small" }')).toBe('large');
});

it('strips types of every kind', async () => {
  const workspace = await openWorkspace();
  const value = await valueOf(
    workspace,
    `
    import type { Unknown } from 'nowhere';
    interface Named { readonly name: string }
    type Pair<T> = [T, T];
    enum Color { Red = 1, Green }
    abstract class Animal<T> implements Named {
      constructor(readonly name: string, private sound: T) {}
      speak(): T { return this.sound as T; }
    }
    class Dog extends Animal<string> { override speak() { return super.speak().toUpperCase(); } }
    function first<T>(pair: Pair<T>): T { return pair[0]!; }
    const dog = new Dog('Rex', 'wuff') satisfies Named;
    [first<number>([1, 2]), dog.name, dog.speak(), Color.Green, Color[1]] as const
    `,
  );
  expect(value).toEqual([1, 'Rex', 'WUFF', 2, 'Red']);
});

it('keeps variables, functions and classes for later steps, which may declare them anew', async () => {
  const workspace = await openWorkspace();
  await workspace.run(
    'const rate = 2; let total = 0; function add(n: number) { total += n * rate; } class Box { size = 1 }',
  );
  await workspace.run('add(5); const box = new Box();');
  expect(await valueOf(workspace, '[total, box.size, box instanceof Box]')).toEqual([10, 1, true]);
  await workspace.run(
    'const rate = 3; function add(n: number) { total += rate; } class Box { size = 9 } let total = 100;',
  );
  expect(await valueOf(workspace, 'add(1); [total, new Box().size, box.size, box instanceof Box]')).toEqual([
    103,
    9,
    1,
    false,
  ]);
});

it('declares by destructuring too', async () => {
  const workspace = await openWorkspace();
  await workspace.run(
    'const { a, b: [first, ...rest], c = 7 } = { a: 1, b: [2, 3, 4] } as any; let [x, , y = 5] = [8, 9];',
  );
  expect(await valueOf(workspace, '[a, first, rest, c, x, y]')).toEqual([1, 2, [3, 4], 7, 8, 5]);
  await workspace.run('let { a } = { a: 10 };');
  expect(await valueOf(workspace, 'a')).toBe(10);
});

it('waits at the top level', async () => {
  const workspace = await openWorkspace();
  const source = 'const one = await Promise.resolve(1); for await (const n of [2, 3]) print(n); one + (await 4)';
  const step = await workspace.run(source);
  expect(step).toMatchObject({ status: 'done', value: 5, console: ['2', '3'] });
});

it('keeps what a step did before it threw', async () => {
  const workspace = await openWorkspace();
  await workspace.run('const list = [1]; let state = "before";');
  const step = await workspace.run(
    'list.push(2); state = "during"; const fresh = 1; throw new RangeError("half-way"); state = "after";',
  );
  expect(step.status).toBe('failed');
  expect(await valueOf(workspace, '[list, state, fresh]')).toEqual([[1, 2], 'during', 1]);
});

it('undoes a step that is all or nothing', async () => {
  const workspace = await openWorkspace();
  await workspace.run('const list = [1]; let state = "before";');
  const step = await workspace.run('print("tried"); list.push(2); state = "during"; throw new Error("no");', {
    allOrNothing: true,
  });
  expect(step).toMatchObject({ status: 'failed', error: { message: 'no' }, console: ['tried'] });
  expect(await valueOf(workspace, '[list, state]')).toEqual([[1], 'before']);
  const done = await workspace.run('list.push(3); list.length', { allOrNothing: true });
  expect(done.value).toBe(2);
  expect(await valueOf(workspace, 'list')).toEqual([1, 3]);
});

it('tells where an error was thrown, in the text its author wrote', async () => {
  const workspace = await openWorkspace();
  await workspace.run(
    'interface Options { deep: boolean }\nfunction divide(a: number, b: number): number {\n  if (b === 0) throw new RangeError("by zero");\n  return a / b;\n}',
  );
  const error = await errorOf(
    workspace,
    'const options: { by: number } = { by: 0 };\n\nconst result = divide(1, options.by);',
  );
  expect(error).toMatchObject({ name: 'RangeError', message: 'by zero', line: 3, column: 26 });
  expect(error.frame).toContain('throw new RangeError("by zero");');
  expect(error.stack?.split('\n').map((line) => line.trim())).toEqual([
    'at divide (step 1:3:26)',
    expect.stringMatching(/^at \(step 2:3:\d+\)$/),
  ]);
});

it('shows only frames of its author', async () => {
  const workspace = await openWorkspace({
    vars: {
      refuse: () => {
        throw new TypeError('from the application');
      },
    },
  });
  const error = await errorOf(workspace, '[3, 1].sort(() => refuse());');
  expect(error).toMatchObject({ name: 'TypeError', message: 'from the application', line: 1 });
  expect(error.stack).not.toMatch(/boot|native|\.ts|node:/);
});

it('tells of values that are thrown and are no errors', async () => {
  const workspace = await openWorkspace();
  expect((await errorOf(workspace, 'throw { code: 7 }')).message).toBe('The code threw { code: 7 }');
  expect((await errorOf(workspace, 'await Promise.reject("no reason")')).message).toBe('The code threw no reason');
});

it('runs nothing of a step that is not TypeScript', async () => {
  const workspace = await openWorkspace();
  await workspace.run('let touched = false;');
  const error = await errorOf(workspace, 'touched = true;\nconst = 5;');
  expect(error).toMatchObject({ code: 'CELL_SYNTAX', line: 2, column: 7 });
  expect(error.message).not.toContain('\n');
  expect(error.frame).toContain('const = 5;');
  expect(await valueOf(workspace, 'touched')).toBe(false);
});

it('numbers its steps and finds them again', async () => {
  const workspace = await openWorkspace();
  await workspace.run('print("one"); 1');
  await workspace.run('throw new Error("two")');
  expect(await workspace.step(1)).toMatchObject({ number: 1, status: 'done', value: 1, console: ['one'] });
  expect(await workspace.step(2)).toMatchObject({ number: 2, status: 'failed', error: { message: 'two' } });
  await expect(workspace.step(3)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

it('gives what guest code is made of by name, where it is no data', async () => {
  const workspace = await openWorkspace();
  const value = await valueOf(
    workspace,
    'class Box { size = 1 } ({ f: function named() {}, box: new Box(), s: Symbol("x") })',
  );
  expect(value).toMatchObject({
    f: { kind: 'function', functionName: 'named' },
    box: { className: 'Box', fields: { size: 1 } },
  });
});
