// Shows that the layer check fails where it should: each case is a small tree of files with one thing wrong.
import { describe, expect, it } from 'vitest';
import { checkLayers } from './layers.ts';

function problemsIn(tree: Record<string, string>, dependencies: string[] = ['pg']): string[] {
  const files = Object.entries(tree).map(([path, text]) => ({ path, text }));
  return checkLayers({ files, dependencies }).map(({ path, line, message }) => `${path}:${line} ${message}`);
}

describe('allowed', () => {
  it('importing from the same layer, from those before it, and from base', () => {
    expect(
      problemsIn({
        'src/index.ts': "export { Store } from './store/store.ts'; export { run } from './jobs/run.ts';",
        'src/base/error.ts': 'export class StatekError extends Error {}',
        'src/store/store.ts': "import { StatekError } from '../base/error.ts'; import pg from 'pg'; import 'node:fs';",
        'src/jobs/run.ts': "import type { Store } from '../store/store.ts'; export { a } from './deep/a.ts';",
        'src/jobs/deep/a.ts': "export const a = new URL('../../', import.meta.url);",
      }),
    ).toEqual([]);
  });

  it('a test that uses development dependencies and helpers of tests/', () => {
    const text = "import { it } from 'vitest'; import { server } from '../../tests/support/server.ts';";
    expect(problemsIn({ 'src/store/store.test.ts': text })).toEqual([]);
  });

  it('words that look like imports inside strings and comments', () => {
    expect(
      problemsIn({ 'src/store/a.ts': "// import '../cli/main.ts'\nexport const text = \"import 'react'\";" }),
    ).toEqual([]);
  });
});

describe('refused', () => {
  const upper = { 'src/jobs/run.ts': 'export const run = 1;' };
  const message = 'imports src/jobs/run.ts: store comes before jobs and must not know it';

  it.each([
    ['import', "\nimport { run } from '../jobs/run.ts';"],
    ['type import', "\nimport type { run } from '../jobs/run.ts';"],
    ['re-export', "\nexport * from '../jobs/run.ts';"],
    ['dynamic import', "\nconst jobs = await import('../jobs/run.ts');"],
    ['import type expression', "\ntype Run = import('../jobs/run.ts').Run;"],
    ['worker URL', "\nnew Worker(new URL('../jobs/run.ts', import.meta.url));"],
  ])('a later layer, by %s', (_, text) => {
    expect(problemsIn({ ...upper, 'src/store/a.ts': text })).toEqual([`src/store/a.ts:2 ${message}`]);
  });

  it('another layer past its door, except from the command line', () => {
    const tree = {
      'src/store/door.ts': "export { a } from './a.ts';",
      'src/store/a.ts': 'export const a = 1;',
      'src/jobs/run.ts': "import { a } from '../store/a.ts';",
      'src/jobs/walk.ts': "import { a } from '../store/door.ts';",
      'src/jobs/run.test.ts': "import { a } from '../store/a.ts';",
      'src/cli/main.ts': "import { a } from '../store/a.ts';",
    };
    expect(problemsIn(tree)).toEqual([
      'src/jobs/run.ts:1 imports src/store/a.ts past the door of store; import from src/store/door.ts, and add the name there if others need it',
    ]);
  });

  it('jobs from models, though models come later', () => {
    expect(problemsIn({ ...upper, 'src/models/a.ts': "import '../jobs/run.ts';" })).toEqual([
      'src/models/a.ts:1 imports src/jobs/run.ts: models must know nothing of jobs',
    ]);
  });

  it('anything from base', () => {
    const tree = { 'src/store/a.ts': '', 'src/base/b.ts': "import '../store/a.ts';" };
    expect(problemsIn(tree)).toEqual([
      'src/base/b.ts:1 imports src/store/a.ts: base comes before store and must not know it',
    ]);
  });

  it('the public lists from inside', () => {
    expect(problemsIn({ 'src/index.ts': '', 'src/cli/a.ts': "import '../index.ts';" })).toEqual([
      'src/cli/a.ts:1 imports the public list src/index.ts; import from where the name is defined',
    ]);
  });

  it.each(['tests/support/a.ts', 'examples/a.ts', 'bench/a.ts'])('%s from the package', (target) => {
    expect(problemsIn({ 'src/store/a.ts': `import '../../${target}';` })).toEqual([
      `src/store/a.ts:1 imports ${target}, which is outside src/ and not part of the package`,
    ]);
  });

  it('a test from source', () => {
    expect(problemsIn({ 'src/store/a.ts': "import './a.test.ts';", 'src/store/a.test.ts': '' })).toEqual([
      'src/store/a.ts:1 imports the test src/store/a.test.ts',
    ]);
  });

  it('a file that does not exist', () => {
    expect(problemsIn({ 'src/store/a.ts': "import './b.js';" })).toEqual([
      'src/store/a.ts:1 imports src/store/b.js, which does not exist',
    ]);
  });

  it.each([
    ['react', "imports 'react', which is not among the package's dependencies"],
    ['@scope/name/deep', "imports '@scope/name', which is not among the package's dependencies"],
    ['fs', "imports 'fs'; write 'node:fs'"],
    ['statek/testing', "imports 'statek/testing', the package itself; use a relative path"],
  ])('the package %s', (specifier, problem) => {
    expect(problemsIn({ 'src/store/a.ts': `import '${specifier}';` })).toEqual([`src/store/a.ts:1 ${problem}`]);
  });

  it('a file in no layer', () => {
    expect(problemsIn({ 'src/helpers/a.ts': '', 'src/loose.ts': '' })).toHaveLength(2);
  });

  it('a circle, once, by its shortest path', () => {
    expect(
      problemsIn({
        'src/store/a.ts': "import './b.ts'; import './c.ts';",
        'src/store/b.ts': "import type {} from './c.ts';",
        'src/store/c.ts': "export {} from './a.ts';",
        'src/store/outside.ts': "import './a.ts';",
      }),
    ).toEqual(['src/store/a.ts:1 imports itself in a circle: src/store/a.ts → src/store/c.ts → src/store/a.ts']);
  });
});
