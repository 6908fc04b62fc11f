// Patterns mean what they say, for any key, and cannot be made slow.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keyMatcher, type KeyMatcher } from './pattern.ts';

const anyKey = fc.string({
  unit: fc.constantFrom('a', 'b', ':', '*', '?', '[', ']', '\\', '-', '!', '😀', '\ud800'),
  maxLength: 8,
});

const literally = (key: string): string => key.replaceAll(/[*?[\]\\]/g, (character) => `\\${character}`);

/** The same by a regular expression. */
function expected(pattern: readonly string[], key: string): boolean {
  const source = pattern.map((part) =>
    part === '*' ? '[^]*' : part === '?' ? '[^]' : part.replaceAll(/[^a-z]/g, '\\$&'),
  );
  return new RegExp(`^${source.join('')}$`).test(key);
}

/** Invalid patterns become one that matches nothing. */
function matcherOrNone(pattern: string): Pick<KeyMatcher, 'start' | 'matches'> {
  try {
    return keyMatcher(pattern);
  } catch {
    return { start: '', matches: () => false };
  }
}

describe('key patterns', () => {
  test('every key is matched by itself, escaped, and by nothing else', () => {
    fc.assert(
      fc.property(anyKey, anyKey, (key, other) => {
        const matcher = keyMatcher(literally(key));
        expect(matcher.start).toBe(key);
        expect(matcher.matches(key)).toBe(true);
        expect(matcher.matches(other)).toBe(other === key);
      }),
    );
  });

  test('wildcards stand for any text and for one character', () => {
    const parts = fc.array(fc.constantFrom('*', '?', 'a', 'b'), { maxLength: 7 });
    const keys = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 });
    fc.assert(
      fc.property(parts, keys, (pattern, key) => {
        expect(keyMatcher(pattern.join('')).matches(key)).toBe(expected(pattern, key));
      }),
      { numRuns: 2000 },
    );
  });

  test('a matching key begins with what the pattern begins with', () => {
    fc.assert(
      fc.property(anyKey, anyKey, (pattern, key) => {
        const { start, matches } = matcherOrNone(pattern);
        expect(!matches(key) || key.startsWith(start)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    ['[abc]', ['a', 'c'], ['d', 'ab', '']],
    ['[a-c]x', ['bx'], ['dx']],
    ['[!a-c]', ['d', '😀'], ['a']],
    ['[^a]', ['b'], ['a']],
    ['[]a]', [']', 'a'], ['b']],
    ['[a-]', ['a', '-'], ['b']],
    ['[\\]]', [']'], ['\\']],
    ['?', ['😀', 'x'], ['', 'xx']],
    ['a\\*b', ['a*b'], ['axb']],
    ['', [''], ['a']],
    ['**', ['', 'anything'], []],
  ])('%s', (pattern, matching, others) => {
    const matcher = keyMatcher(pattern);
    expect(matching.filter((key) => !matcher.matches(key))).toEqual([]);
    expect(others.filter((key) => matcher.matches(key))).toEqual([]);
  });

  test.each(['[a', 'a\\', '[', '[z-a]', '[!'])('refuses %s', (pattern) => {
    expect(() => keyMatcher(pattern)).toThrow('key pattern');
  });

  test('many wildcards on a long key are decided at once', () => {
    expect(keyMatcher('a*'.repeat(300) + 'b').matches('a'.repeat(900))).toBe(false);
  });
});
