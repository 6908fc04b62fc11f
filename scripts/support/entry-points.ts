// The package's public entry points, as package.json declares them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './source.ts';

export interface EntryPoint {
  /** What users write: `statek`, `statek/postgres`. */
  readonly name: string;
  /** Its declaration file, relative to dist/. */
  readonly declarations: string;
}

export function entryPoints(): EntryPoint[] {
  const { name, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    name: string;
    exports: Record<string, string | { types: string; import: string }>;
  };
  return Object.entries(exports).flatMap(([path, target]) =>
    typeof target === 'string'
      ? []
      : [{ name: path.replace('.', name), declarations: target.types.replace('./dist/', '') }],
  );
}
