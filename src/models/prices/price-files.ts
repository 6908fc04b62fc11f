// Reads the application's own prices: a CSV file, or a folder of them, such as one per provider.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ModelSettingsError } from '../errors.ts';
import type { PriceText } from './prices.ts';

/** Files of a folder are read in alphabetical order. */
export function readPriceFiles(place: string): readonly PriceText[] {
  try {
    const files = statSync(place).isDirectory()
      ? readdirSync(place)
          .filter((name) => name.endsWith('.csv'))
          .toSorted()
          .map((name) => join(place, name))
      : [place];
    return files.map((where) => ({ text: readFileSync(where, 'utf8'), where }));
  } catch (error) {
    throw new ModelSettingsError(
      `Cannot read the prices from '${place}': ${(error as Error).message}`,
      { file: place },
      error,
    );
  }
}
