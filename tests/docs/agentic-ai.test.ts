// Every row of the table of names that users of AgenticAI know: what it says is here is here, and its test uses it.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from './support.ts';

const page = readFileSync(join(root, 'docs/state/agentic-ai.md'), 'utf8');
const api = readFileSync(join(root, 'api/statek-state.api.md'), 'utf8');
const declarations = new Map(
  [...api.matchAll(/^## (\w+)[^\n]*\n\n```ts\n([\s\S]*?)^```$/gm)].map(([, name = '', text = '']) => [name, text]),
);

/** A member of a declaration, or of what it extends. */
function hasMember(name: string, member: string): boolean {
  const text = declarations.get(name);
  if (text === undefined) return false;
  if (new RegExp(`^    (?:readonly )?${member}[?(:<]`, 'm').test(text)) return true;
  return [...(/ extends ([^{]*)\{/.exec(text)?.[1]?.matchAll(/\w+/g) ?? [])].some(([base]) => hasMember(base, member));
}

const rows = [...page.matchAll(/^\| (.*) \| (.*) \| `(tests\/[\w/.-]+)` \|$/gm)].map(
  ([line, there = '', here = '', test = '']) => ({ line, there, here, test }),
);

it('has a row for every name, and a test for every row', () => {
  expect(rows.length).toBeGreaterThan(150);
  // The only other lines of tables are their heads.
  const lines = page.split('\n').filter((line) => line.startsWith('|'));
  expect(lines.length - rows.length).toBe(2 * (page.match(/^## /gm)?.length ?? 0));
  const there = rows.map((row) => row.there).filter((name) => name !== '');
  expect(there.filter((name, index) => there.indexOf(name) !== index)).toEqual([]);
});

it('names what exists, and what its test uses', () => {
  const wrong = rows.flatMap(({ line, here, test }) => {
    const names = [...here.matchAll(/`(?:new )?([A-Z]\w*)(?:\.(\w+))?/g)];
    const text = existsSync(join(root, test)) ? readFileSync(join(root, test), 'utf8') : '';
    const isRight =
      names.length > 0 &&
      names.every(([, type = '', member]) =>
        member === undefined
          ? declarations.has(type) && text.includes(type)
          : hasMember(type, member) && isUsed(text, type, member),
      );
    return isRight ? [] : [line];
  });
  expect(wrong).toEqual([]);
});

/** By its own name, or with all values of a constant. */
function isUsed(text: string, type: string, member: string): boolean {
  return new RegExp(`\\b${member}\\b|Object\\.values\\(${type}\\)`).test(text);
}
