import { expect, it } from 'vitest';
import { Audience } from './audience.ts';

it('has a listener until it leaves, or has not been heard of for 15 seconds', () => {
  let now = 0;
  const audience = new Audience(() => now);
  audience.add('one', ['a', 'b']);
  audience.add('two', ['b']);
  audience.remove('one', ['a']);
  expect([audience.hears('a'), audience.hears('b'), audience.hears('c')]).toEqual([false, true, false]);
  now = 10_000;
  audience.add('two', ['b']);
  audience.remove('one', ['b']);
  now = 24_999;
  expect(audience.hears('b')).toBe(true);
  now = 25_000;
  expect(audience.hears('b')).toBe(false);
});
