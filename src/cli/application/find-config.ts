// Finds the configuration file, in a folder or its nearest parent that has one.
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ConfigError } from '../line/errors.ts';

export const configNames = ['statek.config.ts', 'statek.config.js', 'statek.config.mjs'] as const;

/** The file given with `--config`, or the nearest one; undefined without either. */
export function findConfig(folder: string, named: string | undefined): string | undefined {
  if (named !== undefined) {
    const file = resolve(folder, named);
    if (existsSync(file)) return file;
    throw new ConfigError(`--config: ${file} does not exist. Pass the path of a configuration file.`, { file });
  }
  for (let place = resolve(folder); ; place = dirname(place)) {
    const found = configNames.filter((name) => existsSync(join(place, name)));
    if (found.length > 1)
      throw new ConfigError(
        `${place} has several configuration files: ${found.join(', ')}. Keep one, or choose one with --config.`,
        {
          place,
        },
      );
    if (found[0] !== undefined) return join(place, found[0]);
    if (dirname(place) === place) return undefined;
  }
}
