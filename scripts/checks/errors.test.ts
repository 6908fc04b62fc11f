// Shows that the check of docs/errors.md fails where it should.
import { expect, it } from 'vitest';
import { checkErrors } from './errors.ts';

const full = {
  path: 'src/store/errors.ts',
  text: "export class FullError extends StatekError {\n  readonly code = 'STORE_FULL';\n}",
};

it('accepts codes and headings that match', () => {
  expect(checkErrors([full], '# Errors\n\n### STORE_FULL\n\nNo room.\n')).toEqual([]);
});

it('leaves alone abstract codes, static ones, and classes that are no errors', () => {
  const text = `
    abstract class Base extends Error { static code = 'STATIC' }
    class Country { code = 'CH'; error = class extends Country { code = 'DE' } }`;
  expect(checkErrors([{ path: 'src/base/error.ts', text }], '')).toEqual([]);
});

it('names a code without a heading', () => {
  expect(checkErrors([full], '```\n### STORE_FULL\n```')).toEqual([
    'src/store/errors.ts:2 STORE_FULL has no heading in docs/errors.md',
  ]);
});

it('names a heading without a code', () => {
  expect(checkErrors([], '\n### STORE_GONE\n')).toEqual(['docs/errors.md:2 STORE_GONE is the code of no error class']);
});

it('names a code used twice and a heading written twice', () => {
  expect(checkErrors([full, { ...full, path: 'src/jobs/errors.ts' }], '### STORE_FULL\n### STORE_FULL')).toEqual([
    'src/jobs/errors.ts:2 STORE_FULL is already the code of another class',
    'docs/errors.md:2 STORE_FULL has two headings',
  ]);
});

it.each(["'storeFull'", 'makeCode()'])('refuses the code %s', (value) => {
  const text = `const made = class extends RangeError { readonly code = ${value}; };`;
  expect(checkErrors([{ path: 'src/store/a.ts', text }], '')).toEqual([
    "src/store/a.ts:1 an error's code must be a literal in capitals, as in code = 'STORE_FULL'",
  ]);
});
