// Which language a locale means, and what a model is told about it.
import { expect, test } from 'vitest';
import { languages } from './languages.ts';
import { languageHint, languageRule, spokenLanguage } from './locale.ts';

test('there are 35 languages, each once, and each has a rule and a hint', () => {
  expect(languages).toHaveLength(35);
  expect(new Set(languages.map(({ code }) => code)).size).toBe(35);
  for (const { code, native } of languages) {
    expect(languageRule(code).length).toBeGreaterThan(20);
    expect(languageHint(code)).not.toBe('');
    expect(spokenLanguage(native).code).toBe(code);
  }
});

test.each([
  ['de', 'de'],
  ['de-AT', 'de'],
  ['pt_BR', 'pt'],
  ['en_US.UTF-8', 'en'],
  ['ZH-Hant', 'zh'],
  ['German', 'de'],
  ['Deutsch', 'de'],
  ['no', 'nb'],
])('%s is %s', (locale, code) => {
  expect(spokenLanguage(locale).code).toBe(code);
});

test('main languages have wording of their own', () => {
  expect(languageHint('de')).toBe('Antworte auf Deutsch.');
  expect(languageHint('fi')).toBe('Answer in Finnish (suomi).');
  expect(languageRule('fi')).toContain('in Finnish (suomi)');
});

test('an unknown one is refused', () => {
  expect(() => languageRule('Germn')).toThrow("There is no language 'Germn'. Did you mean German?");
  expect(() => languageRule('')).toThrow('There are en, de,');
});
