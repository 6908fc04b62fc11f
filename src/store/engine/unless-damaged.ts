// One damaged row must not keep anybody from the others.
import { StoreCorruptError } from '../errors.ts';

/** What `decode` returns, or undefined if it is damaged: then `verify` names it. */
export function unlessDamaged<Decoded>(
  decode: () => Decoded,
  damaged: (error: StoreCorruptError) => void = () => undefined,
): Decoded | undefined {
  try {
    return decode();
  } catch (error) {
    if (!(error instanceof StoreCorruptError)) throw error;
    damaged(error);
    return undefined;
  }
}

/** Decodes the rows of a snapshot: a damaged one is an error, or is left out and named. */
export class RowDecoder {
  readonly #skipsDamaged: boolean;
  /** A row may be read again, and is named once. */
  readonly #damaged = new Set<string>();

  constructor(skipsDamaged: boolean) {
    this.#skipsDamaged = skipsDamaged;
  }

  /** A list of one, or of none. */
  decode<Decoded>(decode: () => Decoded): Decoded[] {
    if (!this.#skipsDamaged) return [decode()];
    const decoded = unlessDamaged(decode, ({ message }) => this.#damaged.add(message));
    return decoded === undefined ? [] : [decoded];
  }

  damaged(): readonly string[] {
    return [...this.#damaged];
  }
}
