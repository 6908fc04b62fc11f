// The base class of all errors of Statek, with a stable code that callers can act on.

/**
 * An error with a stable `code`. The message says what is wrong, where, and what to do next;
 * `docs/errors.md` has an entry for each code. `details` has the same facts as data.
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
