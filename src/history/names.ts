// Names chosen by callers become parts of keys, whose length is limited.
import { HistoryArgumentError } from './errors.ts';

const maxBytes = 200;

export function checkName(what: string, name: string): string {
  if (name === '' || Buffer.byteLength(name) > maxBytes) {
    throw new HistoryArgumentError(`${what} must have 1 to ${maxBytes} bytes, not '${name.slice(0, 50)}'.`, {
      name,
    });
  }
  return name;
}
