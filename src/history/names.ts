// Names that callers choose become parts of keys, and keys have a limited length.
import { HistoryArgumentError } from './errors.ts';

const longest = 200;

export function checkName(what: string, name: string): string {
  if (name === '' || Buffer.byteLength(name) > longest) {
    throw new HistoryArgumentError(`${what} must have 1 to ${longest} bytes, not '${name.slice(0, 50)}'.`, {
      name,
    });
  }
  return name;
}
