// Where this copy of the package is, and which version it is.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the package. */
export const packageFolder: string = fileURLToPath(new URL('../..', import.meta.url));

export function packageVersion(): string {
  return (JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as { version: string }).version;
}
