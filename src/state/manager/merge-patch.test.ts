// The examples of RFC 7386, and that nothing given is changed.
import { expect, test } from 'vitest';
import { mergePatch } from './merge-patch.ts';

test.each([
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  [undefined, { a: 1 }, { a: 1 }],
])('%j with %j', (target, patch, result) => {
  const before = JSON.stringify([target, patch]);
  expect(JSON.stringify(mergePatch(target, patch))).toBe(JSON.stringify(result));
  expect(JSON.stringify([target, patch])).toBe(before);
});

test('a member called __proto__ is one like others', () => {
  const patch = JSON.parse('{"__proto__":{"polluted":1}}') as unknown;
  expect(JSON.stringify(mergePatch({}, patch))).toBe('{"__proto__":{"polluted":1}}');
  expect(({} as { polluted?: number }).polluted).toBeUndefined();
});
