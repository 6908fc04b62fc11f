// Sizes: those of the format, which never change, and those an application may set.
import { wholeNumberOption } from '../base/options.ts';

export const pageBytes = 4096;
/** Words are 32 bits: programs store pointers and small numbers, so a change rarely covers less. */
export const wordBytes = 4;
export const pageWords = pageBytes / wordBytes;

/** A part of a pack carries at most this many words, so that no entry of the store grows large. */
export const maxPartWords = 1024 * 1024;
/** And so much besides: runs (at worst two numbers per two words) and the first part's preamble. */
export const maxPartBytes = maxPartWords * wordBytes * 3 + 4 * 1024 * 1024;

export interface HistoryLimits {
  /** The largest image; 512 MiB unless told. */
  readonly imageBytes: number;
  /** The largest image header; 64 KiB unless told. */
  readonly headerBytes: number;
  /** The most a commit's metadata may take as JSON; 256 KiB unless told. */
  readonly metadataBytes: number;
}

const mebibyte = 1024 * 1024;

export const defaultLimits: HistoryLimits = {
  imageBytes: 512 * mebibyte,
  headerBytes: 64 * 1024,
  metadataBytes: 256 * 1024,
};

export function limitsOf(given: Partial<HistoryLimits> = {}): HistoryLimits {
  const option = (name: keyof HistoryLimits, most: number): number =>
    wholeNumberOption('openHistory limits', name, given[name] ?? defaultLimits[name], 0, most);
  return {
    imageBytes: option('imageBytes', 4096 * mebibyte),
    headerBytes: option('headerBytes', mebibyte),
    metadataBytes: option('metadataBytes', 16 * mebibyte),
  };
}
