// Names whose values others share: whatever would bind one is refused before anything runs, and nothing else is.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Statek, Workspace } from '../../src/index.ts';
import { sharedSource } from '../../src/agents/memory/shared-names.ts';
import { openSharedKit } from './support.ts';

let kit: Statek;
let workspace: Workspace;
beforeAll(async () => {
  kit = await openSharedKit();
  workspace = await kit.workspace('shared', { language: 'python' });
  await workspace.run(sharedSource([{ name: 'colour', value: 'red' }], 'python') ?? '');
});
afterAll(() => kit.close());

it.each([
  'colour = "blue"',
  'x, (y, *colour) = 1, (2, 3)',
  'colour += "!"',
  'del colour',
  'for colour in "ab": pass',
  'import math as colour',
  'def colour(): pass',
  'class colour: pass',
  'with open("a") as colour: pass',
  'try: pass\nexcept ValueError as colour: pass',
  'match 1:\n    case {"a": 1, **colour}: pass',
  '[(colour := n) for n in (1, 2)]',
  'def f():\n    global colour\n    colour = 1',
  'def f(x=(colour := 1)): pass',
  'type colour = int',
  'await (colour := None)',
])('%j is refused', async (code) => {
  const { error } = await workspace.run(code);
  expect(error).toMatchObject({
    name: 'SyntaxError',
    message: expect.stringContaining('cannot assign to colour') as string,
  });
  expect(error?.line).toBeGreaterThan(0);
  expect((await workspace.run('colour')).value).toBe('red');
});

it.each([
  ['[colour for colour in (1, 2)]', [1, 2]],
  ['(lambda colour: colour)(3)', 3],
  ['def f(colour):\n    colour += 1\n    return colour\nf(1)', 2],
  ['class A:\n    colour = 4\nA.colour', 4],
  ['d = {}\nd["colour"] = 5\nd["colour"]', 5],
  ['colour.upper()', 'RED'],
])('%j is not', async (code, value) => {
  expect(await workspace.run(code)).toMatchObject({ status: 'done', value });
});

it('is put right before the next step when code has written past that', async () => {
  await workspace.run('globals()["colour"] = "blue"\nexec("colour = 1")');
  expect((await workspace.run('colour')).value).toBe('red');
  expect(await workspace.locals()).toMatchObject({ colour: 'red' });
});
