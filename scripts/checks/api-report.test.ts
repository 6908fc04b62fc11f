// Shows that the API report changes when, and only when, what users see changes.
import { expect, it } from 'vitest';
import { apiReport, hiddenDeclarations } from './api-report.ts';
import { declarationReader } from './declarations.ts';

function report(tree: Record<string, string>): string {
  const read = declarationReader((path) => {
    const text = tree[path];
    if (text === undefined) throw new Error(`no file ${path}`);
    return text;
  });
  const others = 'dist/testing.d.ts' in tree ? [{ title: 'statek/testing', file: read('dist/testing.d.ts') }] : [];
  return apiReport({ title: 'statek', file: read('dist/index.d.ts') }, others);
}

function hidden(tree: Record<string, string>): string[] {
  const read = declarationReader((path) => tree[path] ?? '');
  return hiddenDeclarations([{ title: 'statek', file: read('dist/index.d.ts') }]);
}

const tree = {
  'dist/index.d.ts': `export { open, type Store as Kept } from './store/list.js';`,
  'dist/store/list.d.ts': `import { Store } from './store.js';\nexport { Store };\nexport { open } from './open.js';`,
  'dist/store/store.d.ts': `
import type { Pool } from 'pg';
declare const brand: unique symbol;
type Hidden = { deeper: Deeper };
interface Deeper { [brand]: true }
interface Unused { open: number }
/** Documented. */
export declare class Store extends Error {
    #private;
    /** Also documented. */
    readonly hidden: Hidden;
    private secret;
    pool(): Pool;
}
export type Internal = string;`,
  'dist/store/open.d.ts': `
import type { Store } from './store.js';
export declare function open(path: string): Store;
export declare function open(path: string, wait: number): Promise<Store>;`,
};

it('lists public names under the names users know, and what comes from other packages', () => {
  expect(report(tree)).toMatchInlineSnapshot(`
    "# What \`statek\` exports

    Written by \`npm run api:update\`. A change here is a change for users: review it as such.

    ## Kept (type only)

    \`\`\`ts
    class Store extends Error {
        readonly hidden: Hidden;
        pool(): Pool;
    }
    \`\`\`

    ## open

    \`\`\`ts
    function open(path: string): Store;
    function open(path: string, wait: number): Promise<Store>;
    \`\`\`

    # Used above, from other packages

    - Pool, from \`pg\`
    "
  `);
});

it('names declarations that exported ones mention and no entry point exports', () => {
  expect(hidden(tree)).toEqual(['Hidden, mentioned by Store']);
  const exported = `${tree['dist/index.d.ts']}\nexport { type Hidden } from './store/store.js';`;
  const store = tree['dist/store/store.d.ts'].replace('type Hidden', 'export type Hidden');
  const further = { ...tree, 'dist/index.d.ts': exported, 'dist/store/store.d.ts': store };
  expect(hidden(further)).toEqual(['Deeper, mentioned by Hidden']);
});

it('does not change with comments or with what nobody can reach', () => {
  const store = tree['dist/store/store.d.ts'];
  const changed = store
    .replace('/** Documented. */', '/** Better documented. */')
    .replace('open: number', 'shut: number');
  expect(report({ ...tree, 'dist/store/store.d.ts': changed })).toBe(report(tree));
});

it.each([
  ['a public signature', 'dist/store/open.d.ts', 'wait: number', 'wait?: number'],
  ['the list of names', 'dist/index.d.ts', 'Store as Kept', 'Store'],
] as const)('changes with %s', (_, path, before, after) => {
  expect(report({ ...tree, [path]: tree[path].replace(before, after) })).not.toBe(report(tree));
});

it('only mentions what another entry point exports', () => {
  const text = report({ ...tree, 'dist/testing.d.ts': "export type { Internal } from './store/store.js';" });
  expect(text).toBe(report(tree));
  const index = "export { open } from './store/list.js';";
  const testing = "export { Store as Kept } from './store/store.js';";
  const both = report({ ...tree, 'dist/index.d.ts': index, 'dist/testing.d.ts': testing });
  expect(both).toContain('- Kept, from `statek/testing`');
});

it('refuses a type that is written as an import, whose name nobody reads', () => {
  const store = "export declare function open(path: string): import('./store.js').Store;";
  expect(() => report({ ...tree, 'dist/store/open.d.ts': store })).toThrow('name it');
});

it('refuses "export *"', () => {
  expect(() => report({ ...tree, 'dist/index.d.ts': "export * from './store/list.js';" })).toThrow(
    'list them explicitly',
  );
});
