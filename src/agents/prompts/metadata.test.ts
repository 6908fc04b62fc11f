// Settings of an agent that are given in code are read as those of a file are.
import { expect, test } from 'vitest';
import { InvalidOptionError } from '../../base/options.ts';
import { metadataOf } from './metadata.ts';

test('numbers and switches need no quotes', () => {
  const settings = { MODEL: 'a/b', TEMPERATURE: 0.2, MAX_TURNS: Number.POSITIVE_INFINITY, AUTO_LANG_RULE: true, X: 1 };
  expect(metadataOf('Agent clerk', settings)).toMatchObject({
    model: { L: 'a/b', M: 'a/b', H: 'a/b' },
    temperature: 0.2,
    languageRule: true,
    limits: { turns: Number.POSITIVE_INFINITY },
    entries: { X: '1', MAX_TURNS: 'unlimited' },
  });
});

test.each([
  [{}, 'Agent clerk: MODEL is missing'],
  [{ MODEL: undefined }, 'Agent clerk: MODEL is missing'],
  [{ MODEL: 'a/b', CHAT_STYLE: 'X' }, "Agent clerk: CHAT_STYLE is 'X'; it must be one of CONSOLE"],
  [{ MODEL: ['a/b'] }, 'Agent clerk: MODEL must be a text, a number, true or false.'],
])('%j is refused', (settings, message) => {
  expect(() => metadataOf('Agent clerk', settings)).toThrow(InvalidOptionError);
  expect(() => metadataOf('Agent clerk', settings)).toThrow(message);
});
