// The compression that an application asks for.
import { choiceOption } from '../../base/options.ts';
import type { Packing } from './packing.ts';

/** What an application writes, as a packing: `true` is zstd. */
export function compressionOption(where: string, given: unknown): Packing['compression'] {
  if (given === false || given === undefined) return 'none';
  if (given === true) return 'zstd';
  return choiceOption(where, 'compression', given, ['gzip', 'zstd']);
}
