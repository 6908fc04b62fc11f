// The part of the build the compiler leaves to us.
import { expect, it } from 'vitest';
import { nameBuiltFiles } from './build.ts';

it('makes declarations and worker URLs name built files, and leaves everything else', () => {
  const before = `
    import type { A } from './a.ts';
    export { b } from "../b.mts";
    type C = import('./c.ts').C;
    new Worker(new URL('./writer.ts', import.meta.url));
    const text = './a.ts', elsewhere = new URL('./a.ts', 'https://example.org'), typed = import('typed.ts');`;
  expect(nameBuiltFiles('dist/x.d.ts', before)).toBe(
    before
      .replace("'./a.ts';", "'./a.js';")
      .replace('b.mts', 'b.mjs')
      .replace('c.ts', 'c.js')
      .replace('writer.ts', 'writer.js'),
  );
});
