// URLs and options become settings; whatever is contradictory or unknown is refused.
import { expect, test } from 'vitest';
import { InvalidOptionError } from '../../base/options.ts';
import { settingsOf } from './options.ts';

test('defaults', () => {
  expect(settingsOf('redis://here', {})).toMatchObject({
    target: { host: 'here', port: 6379, username: undefined, password: undefined, tls: false },
    db: 0,
    keyPrefix: 'statek',
    poolSize: 10,
    durability: 'full',
    place: 'redis://here:6379/0 (key prefix statek)',
  });
});

test('what a URL may say, and what options say above it', () => {
  const url = 'rediss://me:p%40ss@[::1]:7000/3?keyPrefix=a&durability=relaxed&poolSize=2';
  expect(settingsOf(url, { keyPrefix: 'b' })).toMatchObject({
    target: { host: '::1', port: 7000, username: 'me', password: 'p@ss', tls: true },
    db: 3,
    keyPrefix: 'b',
    poolSize: 2,
    durability: 'relaxed',
  });
  expect(settingsOf(url, { tls: { servername: 'x' } }).target.tls).toEqual({ servername: 'x' });
  expect(settingsOf(url, {}).place).not.toContain('p@ss');
  expect(settingsOf({ host: 'there', password: 'x' }, { db: 2 })).toMatchObject({
    target: { host: 'there', port: 6379, password: 'x', tls: false },
    db: 2,
  });
});

test.each<[string, object]>([
  ['redis://h/1', { db: 2 }],
  ['redis://h/x', {}],
  ['redis://h/0?durability=some', {}],
  ['redis://h/0?poolSize=none', {}],
  ['redis://h/0?ttl=1', {}],
  ['redis://h/0?toString=1', {}],
  ['rediss://h', { tls: false }],
  ['redis://h', { ttl: 5 }],
  ['redis://h', { keyPrefix: '{x}' }],
  ['redis://h', { poolSize: 1.5 }],
])('%s with %o is refused', (url, options) => {
  expect(() => settingsOf(url, options)).toThrow(InvalidOptionError);
});
