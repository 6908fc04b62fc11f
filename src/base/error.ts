// The base class of all errors of Statek, with a stable code that callers can act on.

/**
 * An error with a stable `code`. The message says what is wrong, where, and what to do next; `docs` says where the
 * code is explained. `details` has the same facts as data.
 */
export abstract class StatekError extends Error {
  abstract readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(message: string, details: Readonly<Record<string, unknown>> = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.details = details;
  }

  /** Where the code is explained: a page that comes with the package, and its heading. */
  get docs(): string {
    return docsOf(this.code);
  }
}

/** The place in the documentation for an error code, as in `docs/errors.md#store_full`. */
export function docsOf(code: string): string {
  return `docs/errors.md#${code.toLowerCase()}`;
}
