// Host and guest name the same things, each in a file of its own because neither can import the other's: boot code runs
// only in the engine, so it is compared as text.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { operationNumbers, plainOperationNumbers } from '../bridge/operations.ts';
import { byteClasses, errorClasses } from '../wire/wire.ts';

/** The members of an object literal of boot code, as text. */
function members(file: string, constant: string): string[] {
  const source = readFileSync(new URL(`./guest/${file}`, import.meta.url), 'utf8');
  const literal = new RegExp(`export const ${constant} = [^{]*\\{([^}]*)\\}`).exec(source)?.[1] ?? '';
  return literal
    .split(',')
    .map((member) => member.trim())
    .filter((member) => member !== '' && member !== '__proto__: null');
}

it('both sides have the same requests, by the same numbers', () => {
  const expected = (numbers: object): string[] => Object.entries(numbers).map(([name, number]) => `${name}: ${number}`);
  expect(members('host.js', 'operation')).toEqual(expected(operationNumbers));
  expect(members('connection.js', 'plainOperation')).toEqual(expected(plainOperationNumbers));
});

it('both sides have the same kinds of bytes and errors', () => {
  expect(members('primordials.js', 'byteClasses')).toEqual(Object.keys(byteClasses));
  expect(members('primordials.js', 'errorClasses')).toEqual(Object.keys(errorClasses));
});
