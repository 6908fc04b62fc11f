// Keys, addresses and settings from the environment; what is wrong is said together with what would be right.
import { expect, it, vi } from 'vitest';
import { keyOf, readModelEnvironment, urlOf } from './environment.ts';

it('finds keys and addresses by the name of the provider', () => {
  const env = { OPENAI_API_KEY: ' k1 ', LM_STUDIO_API_URL: 'http://host', GEMINI_API_KEY: 'k2', EMPTY_API_URL: '' };
  expect(keyOf(env, 'openai')).toBe('k1');
  expect(keyOf(env, 'anthropic')).toBeUndefined();
  expect(keyOf(env, 'google')).toBe('k2');
  expect(keyOf({ ...env, GOOGLE_API_KEY: 'k3' }, 'google')).toBe('k3');
  expect(urlOf(env, 'lm-studio')).toBe('http://host');
  expect(readModelEnvironment(env).providers).toEqual(['lm-studio']);
});

it('reads settings', () => {
  const env = {
    STATEK_DEFAULT_PROVIDER: 'OpenAI',
    STATEK_PRICES: 'prices.csv',
    STATEK_MODEL_ATTEMPTS: '3',
    STATEK_MODEL_CONCURRENCY: '8',
    STATEK_MODEL_SILENCE: '60',
  };
  expect(readModelEnvironment(env)).toEqual({
    defaultProvider: 'openai',
    prices: 'prices.csv',
    attempts: 3,
    concurrency: 8,
    silence: 60,
    providers: [],
  });
});

it('warns of a misspelt setting, and ignores it', () => {
  const warn = vi.spyOn(process, 'emitWarning').mockReturnValue();
  expect(readModelEnvironment({ STATEK_MODEL_ATEMPS: '3', STATEK_OTHER_ATTEMPTS: '3' }).attempts).toBeUndefined();
  expect(warn.mock.calls.map(([text]) => text)).toEqual([
    'There is no setting STATEK_MODEL_ATEMPS; it is ignored. Did you mean STATEK_MODEL_ATTEMPTS?',
  ]);
});

it.each([
  [{ STATEK_MODEL_ATTEMPTS: 'many' }, /STATEK_MODEL_ATTEMPTS is 'many'; it must be a whole number from 1 to 100/],
  [{ STATEK_MODEL_ATTEMPTS: '0' }, /whole number from 1 to 100/],
])('refuses %o', (env, message) => {
  expect(() => readModelEnvironment(env)).toThrow(message);
});
