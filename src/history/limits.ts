// The fixed sizes of the format, and the limits an application may set.
import { wholeNumberOption } from '../base/options.ts';

export const pageBytes = 4096;
/** Words have 32 bits: programs store pointers and small numbers, so changes are rarely smaller. */
export const wordBytes = 4;
export const pageWords = pageBytes / wordBytes;

/** Maximum number of words in a part of a pack, so that no store entry becomes large. */
export const maxPartWords = 1024 * 1024;
/** Maximum size of a part: words, runs (at worst two numbers per two words) and the preamble. */
export const maxPartBytes = maxPartWords * wordBytes * 3 + 4 * 1024 * 1024;

export interface HistoryLimits {
  /** Maximum size of an image (default: 512 MiB). */
  readonly imageBytes: number;
  /** Maximum size of an image header (default: 64 KiB). */
  readonly headerBytes: number;
  /** Maximum size of a commit's metadata as JSON (default: 256 KiB). */
  readonly metadataBytes: number;
}

const mebibyte = 1024 * 1024;

export const defaultLimits: HistoryLimits = {
  imageBytes: 512 * mebibyte,
  headerBytes: 64 * 1024,
  metadataBytes: 256 * 1024,
};

export function limitsOf(given: Partial<HistoryLimits> = {}): HistoryLimits {
  const option = (name: keyof HistoryLimits, max: number): number =>
    wholeNumberOption('openHistory limits', name, given[name] ?? defaultLimits[name], 0, max);
  return {
    imageBytes: option('imageBytes', 4096 * mebibyte),
    headerBytes: option('headerBytes', mebibyte),
    metadataBytes: option('metadataBytes', 16 * mebibyte),
  };
}
