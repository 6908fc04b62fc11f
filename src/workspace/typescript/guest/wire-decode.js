// The guest's side of reading what the host sends; wire.ts describes the form.
import { fromBase64 } from './base64.js';
import * as own from './primordials.js';
import { references } from './wire.js';

/** The value of a message from the host. */
export function decode(text) {
  const parts = own.parse(text);
  if (parts.length === 1) return read(parts[0], undefined);
  const made = own.list();
  for (let index = 1; index < parts.length; index++) made[index - 1] = make(parts[index]);
  for (let index = 1; index < parts.length; index++) fill(made[index - 1], parts[index], made);
  return read(parts[0], made);
}

function read(value, made) {
  if (value === null || typeof value !== 'object') return value;
  const first = value[0];
  if (typeof first === 'number') return made[first];
  if (first === 'n') return own.toNumber(value[1]);
  if (first === 'b') return own.toBigInt(value[1]);
  return undefined;
}

function make(parts) {
  switch (parts[0]) {
    case 'A':
      return [];
    case 'O':
      return {};
    case 'M':
      return new own.MapClass();
    case 'S':
      return new own.SetClass();
    case 'D':
      return new own.DateClass(parts[1] === null ? 0 / 0 : parts[1]);
    case 'Y':
      return bytes(parts[1], fromBase64(parts[2]));
    case 'E':
      return error(parts[1], parts[2]);
    case 'X':
      return new own.RegExpClass(parts[1], parts[2]);
    default:
      return references.handleFor(parts[1]);
  }
}

function fill(target, parts, made) {
  switch (parts[0]) {
    case 'A':
      target.length = parts.length - 1;
      for (let index = 1; index < parts.length; index++) {
        if (!isHole(parts[index])) member(target, index - 1, read(parts[index], made));
      }
      break;
    case 'O':
      for (let index = 1; index < parts.length; index += 2) member(target, parts[index], read(parts[index + 1], made));
      break;
    case 'E':
      for (let index = 4; index < parts.length; index += 2) member(target, parts[index], read(parts[index + 1], made));
      break;
    case 'M':
      for (let index = 1; index < parts.length; index += 2)
        own.mapSet(target, read(parts[index], made), read(parts[index + 1], made));
      break;
    case 'S':
      for (let index = 1; index < parts.length; index++) own.setAdd(target, read(parts[index], made));
      break;
    default:
  }
}

function isHole(value) {
  return value !== null && typeof value === 'object' && value[0] === 'h';
}

function member(target, name, value) {
  own.defineProperty(target, name, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
}

function bytes(name, data) {
  const { buffer } = data;
  return name === 'ArrayBuffer' ? buffer : new own.byteClasses[name](buffer);
}

/** An error of the guest's own, so that its class is the one guest code knows. */
export function error(name, text) {
  const known = own.errorClasses[name];
  const made = new (known ?? own.ErrorClass)(text);
  if (known === undefined)
    own.defineProperty(made, 'name', {
      __proto__: null,
      value: name,
      writable: true,
      enumerable: false,
      configurable: true,
    });
  return made;
}
