// Shows that the API report changes when, and only when, what users see changes.
import { expect, it } from 'vitest';
import { apiReport } from './api-report.ts';
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

it('lists public names under the names users know, and what they lean on', () => {
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

    # Used above, but not exported

    ## Deeper

    \`\`\`ts
    interface Deeper { [brand]: true }
    \`\`\`

    ## Hidden

    \`\`\`ts
    type Hidden = { deeper: Deeper };
    \`\`\`

    ## Pool

    \`\`\`ts
    import { Pool } from 'pg';
    \`\`\`

    ## brand

    \`\`\`ts
    const brand: unique symbol;
    \`\`\`
    "
  `);
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
  ['a type behind it', 'dist/store/store.d.ts', '[brand]: true', '[brand]: false'],
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
  expect(both).not.toContain('Deeper');
});

it('refuses "export *"', () => {
  expect(() => report({ ...tree, 'dist/index.d.ts': "export * from './store/list.js';" })).toThrow('list them explicitly');
});
