// Python as people write it: the language and its library behave as they do anywhere else, and what a sandbox cannot have fails
// with an exception that says so.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Statek, Workspace } from '../../src/index.ts';
import { classes, functions, syntax } from './snippets/language.ts';
import { library, refused } from './snippets/library.ts';
import { openSharedKit, problemOf } from './support.ts';

let kit: Statek;
let workspace: Workspace;
beforeAll(async () => {
  kit = await openSharedKit();
  workspace = await kit.workspace('snippets', { language: 'python' });
});
afterAll(() => kit.close());

describe.each(Object.entries({ syntax, functions, classes, library }))('%s', (_, snippets) => {
  it.each(Object.entries(snippets))('%s', async (_name, code) => {
    expect(await problemOf(workspace, code)).toBeUndefined();
  });
});

describe('what a workspace does not have', () => {
  it.each(Object.entries(refused))('%s', async (_name, [code, error]) => {
    const step = await workspace.run(code);
    expect(step.error?.name).toMatch(new RegExp(`^(${error})$`));
    expect(step.error?.message).not.toBe('');
  });
});
