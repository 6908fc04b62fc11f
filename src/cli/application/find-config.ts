// Finds the configuration file: in a folder or the nearest one above it.
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ConfigError } from '../line/errors.ts';

export const configNames = ['statek.config.ts', 'statek.config.js', 'statek.config.mjs'] as const;

/** The file that was named, or the one that is found; undefined if there is none. */
export function findConfig(folder: string, named: string | undefined): string | undefined {
  if (named !== undefined) {
    const file = resolve(folder, named);
    if (existsSync(file)) return file;
    throw new ConfigError(`There is no file ${file}. Give --config the path of a configuration file.`, { file });
  }
  for (let place = resolve(folder); ; place = dirname(place)) {
    const found = configNames.filter((name) => existsSync(join(place, name)));
    if (found.length > 1)
      throw new ConfigError(`There are ${found.join(' and ')} in ${place}. Keep one, or say which with --config.`, {
        place,
      });
    if (found[0] !== undefined) return join(place, found[0]);
    if (dirname(place) === place) return undefined;
  }
}
