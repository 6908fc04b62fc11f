// Spaces: independent, named partitions of objects.
import { described, InvalidOptionError } from '../base/options.ts';

export const defaultSpace = 'default';

export class Spaces {
  readonly #readonly = new Set<string>();
  #current = defaultSpace;

  /** The space of new objects. */
  get current(): string {
    return this.#current;
  }

  isReadonly(space: string): boolean {
    return this.#readonly.has(space);
  }

  open(space: string, readonly: boolean): void {
    // A pattern would take undefined for a name.
    if (typeof space !== 'string' || !/^[a-z0-9][a-z0-9_.-]{0,63}$/.test(space))
      throw new InvalidOptionError(
        `${described(space)} is not a valid name of a space. Use 1 to 64 lower-case letters, digits, dots, dashes and underscores.`,
        { space },
      );
    if (readonly) this.#readonly.add(space);
    else this.#readonly.delete(space);
  }

  /** Runs code that creates objects in `space`. */
  use<Result>(space: string, action: () => Result): Result {
    const outer = this.#current;
    this.#current = space;
    try {
      return action();
    } finally {
      this.#current = outer;
    }
  }
}
