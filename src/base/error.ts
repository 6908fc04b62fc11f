// The base of every error Statek throws, so that callers can tell ours apart and act on a stable code.

/**
 * An error with a stable `code`. The message says what was wrong, where, and what to do;
 * `docs/errors.md` has an entry for each code. `details` holds the same facts as data.
 */
export abstract class StatekError extends Error {
  abstract readonly code: string;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(message: string, details: Readonly<Record<string, unknown>> = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.details = details;
  }
}
