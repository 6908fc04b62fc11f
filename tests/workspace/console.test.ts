// The console: values as a model reads them, bounded, with a note of what was left out.
import { expect, it } from 'vitest';
import { expose } from '../../src/index.ts';
import { render } from '../../src/workspace/wire/render.ts';
import { openKit, openWorkspace } from './support/kits.ts';

async function printed(source: string, vars: Record<string, unknown> = {}): Promise<readonly string[]> {
  const workspace = await openWorkspace({ vars });
  const step = await workspace.run(source);
  expect(step.error).toBeUndefined();
  return step.console;
}

it('prints texts raw at the top and quoted inside', async () => {
  expect(await printed('print("plain text", 1, true); console.log({ text: "it\'s" }, ["a"])')).toEqual([
    'plain text 1 true',
    "{ text: 'it\\'s' } ['a']",
  ]);
});

it('shows every kind of value compactly', async () => {
  const source = `
    print(null, undefined, -0, NaN, 12n, [1, , 3]);
    print(new Date('2026-03-01'), new Date('2026-03-01T10:30:00Z'), new Date(NaN));
    print(new Map([['a', { b: 1 }]]), new Set([1, 'x']), new Uint8Array(3), /a+/g);
    print(new RangeError('out'), Symbol('s'), () => 1, class Box {}, Promise.resolve());
    const circular: any = { name: 'loop' }; circular.self = circular; print(circular);
    print({ get computed() { throw new Error('must not run'); }, _hidden: 1, 'a-b': 2 });`;
  expect(await printed(source)).toEqual([
    'null undefined -0 NaN 12n [1, undefined, 3]',
    '2026-03-01 2026-03-01T10:30:00Z Invalid Date',
    "Map(1) {'a' => { b: 1 }} Set(2) {1, 'x'} <3 bytes> /a+/g",
    'RangeError: out Symbol(s) [function (anonymous)] [class Box] Promise {}',
    "{ name: 'loop', self: [circular] }",
    "{ computed: [getter], 'a-b': 2 }",
  ]);
});

it('writes a small value that holds itself many times in little time', async () => {
  const [line] = await printed('let x = [0]; for (let n = 0; n < 40; n++) x = [x, x, x]; print(x)');
  expect(line?.length).toBeLessThan(30_000);
});

it('cuts collections after 25 items and tells how many there are', async () => {
  const [array, set, map, object] = await printed(`
    const many = Array.from({ length: 1000 }, (_, index) => index);
    print(many); print(new Set(many)); print(new Map(many.map((n) => [n, n]))); print(Object.fromEntries(many.map((n) => ['k' + n, n])));`);
  expect(array).toBe(`[${Array.from({ length: 25 }, (_, index) => index).join(', ')}, … 975 more, 1000 in all]`);
  expect(set).toMatch(/^Set\(1000\) \{0, .*, 24, … 975 more, 1000 in all\}$/);
  expect(map).toMatch(/^Map\(1000\) \{0 => 0, .*, 24 => 24, … 975 more, 1000 in all\}$/);
  expect(object).toMatch(/^\{ k0: 0, .*, k24: 24, … 975 more, 1000 in all \}$/);
});

it('names nested objects instead of unfolding them', async () => {
  expect(
    await printed(`
    class Person { constructor(public name: string) {} }
    class Meeting { title = 'Planning'; owner = new Person('Ann'); }
    print([{ meeting: new Meeting() }]); print({ a: { b: { c: 1 } } });`),
  ).toEqual(["[{ meeting: <Meeting 'Planning'> }]", '{ a: { b: {…1} } }']);
});

it('lets a class of the application say how it is shown', async () => {
  class Money {
    readonly cents = 1250;
    llmRepr(): string {
      return '12.50 €';
    }
  }
  expect(await printed('print(price); print({ price })', { price: new Money() })).toEqual([
    '12.50 €',
    '{ price: 12.50 € }',
  ]);
});

it('shows of an object of the application only what was exposed', async () => {
  const account = expose({ owner: 'Ann', password: 'hunter2', close: () => undefined }, { fields: ['owner'] });
  const [line] = await printed('print(account)', { account });
  expect(line).toContain("owner: 'Ann'");
  expect(line).not.toContain('hunter2');
});

it('knows the levels and groups of a console', async () => {
  expect(
    await printed(`
    console.info('i'); console.warn('w'); console.error('e'); console.debug('d');
    console.group('outer'); console.log('inner\\nsecond'); console.groupEnd(); console.log('after');
    console.assert(true, 'not shown'); console.assert(false, 'shown'); console.count('n'); console.count('n');`),
  ).toEqual(['i', 'w', 'e', 'd', 'outer', '  inner\n  second', 'after', 'shown', 'n: 1', 'n: 2']);
});

it('leaves out what a step prints past its limit, and says how much', async () => {
  const kit = await openKit();
  const workspace = await kit.workspace('small', { limits: { consoleBytes: 100 } });
  const step = await workspace.run('for (let i = 0; i < 50; i++) print("0123456789");');
  expect(step.status).toBe('done');
  expect(step.console.slice(0, 9)).toEqual(Array.from({ length: 9 }, () => '0123456789'));
  expect(step.console.at(-1)).toMatch(/^… \d+ more characters were printed and left out; a step may print 100\.$/);
  expect((await workspace.run('print("again")')).console).toEqual(['again']);
});

it('counts the limit over all slices of a step', async () => {
  const kit = await openKit();
  const workspace = await kit.workspace('small', { limits: { consoleBytes: 30 } });
  await workspace.run(
    'print("0123456789"); await signal("go"); print("0123456789"); print("0123456789"); print("end")',
  );
  await kit.signal('go');
  const step = await workspace.settled();
  expect(step.console.slice(0, 2)).toEqual(['0123456789', '0123456789']);
  expect(step.console.join('\n')).not.toContain('end');
});

it('does not let empty lines pass the limit', async () => {
  const workspace = await openWorkspace({ limits: { consoleBytes: 1000 } });
  const step = await workspace.run('for (let i = 0; i < 100_000; i++) print("");');
  expect(step.console.length).toBeLessThan(1100);
});

it('names what nobody caught and what nobody awaited', async () => {
  const kit = await openKit({ services: {} });
  const workspace = await kit.workspace('main', { vars: { slow: async () => 1 } });
  const step = await workspace.run(`
    Promise.reject(new Error('lost'));
    signal('first');
    await sleep(0);
    slow();
    'done'`);
  const done = step.status === 'done' ? step : await workspace.settled();
  expect(done.console).toEqual(['Nobody caught: Error: lost', "Not awaited: signal 'first'", 'Not awaited: slow(…)']);
});

it('renders with options for programs', () => {
  const value = { name: 'Ann', secret: 1, inner: { deep: { x: 1 } } };
  expect(render(value, { hide: ['secret'] })).toBe("{ name: 'Ann', inner: { deep: {…1} } }");
  expect(render(value, { showOnly: ['name'] })).toBe("{ name: 'Ann' }");
  expect(render(value, { expand: 5, hide: ['secret'] })).toBe("{ name: 'Ann', inner: { deep: { x: 1 } } }");
  expect(render('x'.repeat(30), { maxLength: 10 })).toBe('xxxxxxxxxx… (20 more of 30 characters)');
});
