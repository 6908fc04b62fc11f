// A Node that is too old is told so by every entry point. What it does not have must not be imported before that: modules are
// linked before the first of them runs.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

const sources = join(import.meta.dirname, '../../src');

it.each(['index', 'store', 'models', 'state', 'server', 'testing', 'mcp', 'postgres', 'redis'])(
  'statek/%s says which Node it needs, on one without SQLite too',
  (entry) => {
    const first = /^import '([^']+)';$/m.exec(readFileSync(join(sources, `${entry}.ts`), 'utf8'));
    expect(first?.[1]).toBe('./base/require-node.ts');
    const seen = new Set<string>();
    const linked: string[] = [];
    const visit = (file: string, from: readonly string[]): void => {
      if (seen.has(file)) return;
      seen.add(file);
      const path = [...from, file.slice(sources.length)];
      const text = readFileSync(file, 'utf8');
      for (const [, specifier = ''] of text.matchAll(/^(?:import|export) (?!type )[^;]*?'([^']+)';$/gm)) {
        if (specifier === 'node:sqlite') linked.push(path.join(' → '));
        if (specifier.startsWith('.')) visit(join(dirname(file), specifier), path);
      }
    };
    visit(join(sources, `${entry}.ts`), []);
    expect(linked).toEqual([]);
    expect(seen.size).toBeGreaterThan(5);
  },
);
