import { expect, test } from 'vitest';
import { Redactor } from './redact.ts';

const redactor = Redactor.of('here', { fields: ['password', 'apiKey'], patterns: [/sk-[a-z0-9]+/] }) as Redactor;

test.each([
  [`pay({ apiKey: 'abc', n: 1 })`, `pay({ apiKey: '[redacted]', n: 1 })`],
  ['{"api_key":"abc","n":1}', '{"api_key":"[redacted]","n":1}'],
  ['"{\\"api_key\\":\\"abc\\",\\"n\\":1}"', '"{\\"api_key\\":\\"[redacted]\\",\\"n\\":1}"'],
  ['GET /?api-key=abc&n=1', 'GET /?api-key=[redacted]&n=1'],
  ['password = hunter2; next', 'password = [redacted]; next'],
  ['password: Bearer abc.def', 'password: [redacted]'],
  ['the key sk-123abc is used', 'the key [redacted] is used'],
  ['postgres://app:hunter2@db/app', 'postgres://app:[redacted]@db/app'],
  ['passwords are long', 'passwords are long'],
  ['a monkey: 3', 'a monkey: 3'],
])('%s', (text, expected) => {
  expect(redactor.text(text)).toBe(expected);
});

test('data is looked through by the names of its fields', () => {
  const date = new Date(0);
  expect(
    redactor.value({ PASSWORD: { deep: 1 }, list: [{ api_key: 5, at: date }], password: undefined, note: 'sk-1' }),
  ).toEqual({
    PASSWORD: '[redacted]',
    list: [{ api_key: '[redacted]', at: date }],
    password: undefined,
    note: '[redacted]',
  });
  expect(redactor.value([{ name: 'apiKey', text: "'abc'" }])).toEqual([{ name: 'apiKey', text: '[redacted]' }]);
});

test('messages stay messages', () => {
  const message = '[[0],["O","apiKey","abc","inner",[1]],["M","password",[0],"n",1]]';
  expect(redactor.stored({ input: message })).toEqual({
    input: '[[0],["O","apiKey","[redacted]","inner",[1]],["M","password","[redacted]","n",1]]',
  });
});

test('rejects anything but lists of names and patterns', () => {
  expect(() => Redactor.of('Statek.open', { fields: 'password' as never })).toThrow('redact.fields is a list');
  expect(() => Redactor.of('Statek.open', { patterns: ['x' as never] })).toThrow('redact.patterns is a list');
});
