// Names that callers give to things: they become parts of keys.
import { described } from '../../base/options.ts';
import { StateArgumentError } from './errors.ts';

/** The longest name of anything. */
export const maxNameLength = 200;

/** Returns a name that can be part of a key; throws otherwise. */
export function checkedName(where: string, what: string, name: unknown): string {
  if (typeof name === 'string' && name !== '' && name.length <= maxNameLength) return name;
  throw new StateArgumentError(
    `${where}: ${what} must be a text of 1 to ${maxNameLength} characters${typeof name === 'string' ? `; this one has ${name.length}` : `, not ${described(name)}`}.`,
    { what },
  );
}

/** A name that is not taken: this one, or the same with a number behind it. */
export async function freeName(name: string, isTaken: (name: string) => Promise<boolean>): Promise<string> {
  for (let count = 1; ; count++) {
    const wanted = count === 1 ? name : `${name}_${count}`;
    if (!(await isTaken(wanted))) return wanted;
  }
}
