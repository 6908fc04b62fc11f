// Text of the guest's, read from its memory. It may be as long as that memory, and the host must not hold what it will refuse.

/** What stands before a value in a request. */
const maxPrefixLength = 64 * 1024;

/**
 * How a text of so many bytes is read where a value may have so many characters. If it is certainly too long, its first bytes are
 * taken for one character each: that is quick, and still too long, so that whoever checks its length refuses it.
 */
export function readingOf(
  bytes: number,
  most: number,
): { readonly bytes: number; readonly encoding: 'utf8' | 'latin1' } {
  if (bytes <= 3 * most + maxPrefixLength) return { bytes, encoding: 'utf8' };
  return { bytes: most + maxPrefixLength, encoding: 'latin1' };
}
