// Wire text to host values. The text comes from guest code, so nothing in it is trusted: what is not exactly a message is
// refused, and nothing it says can reach a prototype.
import { byteClasses, errorClasses, type WireValue } from './wire.ts';
import { WireDamagedError, WireSizeError } from './wire-errors.ts';

export interface DecodeOptions {
  /** The host object behind a handle; throws if there is none. */
  handle(token: string): unknown;
  /** A function that calls a guest function, while the call that brought it lasts; throws where that is not possible. */
  callback(id: number): unknown;
  readonly maxBytes: number;
}

/** A function or class of the guest, which cannot leave it; only its name does. */
export class GuestFunction {
  readonly kind: string;
  readonly functionName: string;

  constructor(kind: string, functionName: string) {
    this.kind = kind;
    this.functionName = functionName;
  }
}

/** An instance of a guest class, described by its class's name and its fields. */
export class GuestInstance {
  readonly className: string;
  readonly fields: Readonly<Record<string, unknown>>;

  constructor(className: string, fields: Readonly<Record<string, unknown>>) {
    this.className = className;
    this.fields = fields;
  }
}

/** Something of the guest that is shown only as text, such as a symbol or a proxy. */
export class GuestText {
  readonly text: string;

  constructor(shown: string) {
    this.text = shown;
  }
}

/** Stands where so many more members were cut. */
export class CutMembers {
  readonly count: number;

  constructor(count: number) {
    this.count = count;
  }
}

export function decodeWire(received: string, options: DecodeOptions): unknown {
  if (received.length > options.maxBytes) {
    throw new WireSizeError(
      `A value from guest code is too large: ${received.length} bytes, ${options.maxBytes} allowed.`,
      { bytes: received.length, limit: options.maxBytes },
    );
  }
  let message: unknown;
  try {
    message = JSON.parse(received);
  } catch {
    throw damaged('it is not JSON');
  }
  if (!Array.isArray(message) || message.length === 0) throw damaged('it is not an array');
  return new Decoder(message as unknown[], options).root();
}

type Fill = () => void;

class Decoder {
  readonly #message: readonly unknown[];
  readonly #options: DecodeOptions;
  readonly #made: unknown[] = [];
  readonly #fills: Fill[] = [];

  constructor(message: readonly unknown[], options: DecodeOptions) {
    this.#message = message;
    this.#options = options;
  }

  root(): unknown {
    // First every object is made, empty; then each is filled, so that cycles find their ends.
    for (let index = 1; index < this.#message.length; index++) this.#made.push(this.#make(this.#message[index]));
    for (const fill of this.#fills) fill();
    return this.#value(this.#message[0]);
  }

  #value(value: unknown): unknown {
    if (value === null || typeof value !== 'object') return value;
    if (!Array.isArray(value)) throw damaged('an object stands where a value should');
    const [first, second] = value as WireValue & unknown[];
    if (typeof first === 'number') {
      if (!Number.isInteger(first) || first < 0 || first >= this.#made.length) throw damaged('a node is missing');
      return this.#made[first];
    }
    switch (first) {
      case 'u':
      case 'h':
        return undefined;
      case 'n':
        return Number(second);
      case 'b':
        if (typeof second !== 'string' || !/^-?\d+$/.test(second)) throw damaged('a bigint is malformed');
        return BigInt(second);
      default:
        throw damaged('an unknown mark');
    }
  }

  #make(node: unknown): unknown {
    if (!Array.isArray(node)) throw damaged('a node is not an array');
    const [kind, first, second, third] = node as unknown[];
    switch (kind) {
      case 'A':
        return this.#array(node);
      case 'O':
        return this.#members(node, 1, {});
      case 'M':
        return this.#map(node);
      case 'S':
        return this.#set(node);
      case 'D':
        return new Date(typeof first === 'number' ? first : Number.NaN);
      case 'Y':
        return bytes(text(first), text(second));
      case 'E':
        return this.#error(node, text(first), text(second), text(third));
      case 'X':
        return regularExpression(text(first), text(second));
      case 'H':
        return this.#options.handle(text(first));
      case 'C':
        return this.#options.callback(Number(first));
      case 'F':
        return new GuestFunction(text(first), text(second));
      case 'I': {
        const fields = {};
        this.#members(node, 2, fields);
        return new GuestInstance(text(first), fields);
      }
      case 'T':
        return new GuestText(text(first));
      case '+':
        return new CutMembers(Number(first));
      default:
        throw damaged('an unknown node');
    }
  }

  #array(node: readonly unknown[]): unknown[] {
    const array: unknown[] = [];
    this.#fills.push(() => {
      array.length = node.length - 1;
      for (let index = 1; index < node.length; index++) {
        if (!isHole(node[index])) array[index - 1] = this.#value(node[index]);
      }
    });
    return array;
  }

  #members<Target extends object>(node: readonly unknown[], start: number, target: Target): Target {
    if ((node.length - start) % 2 !== 0) throw damaged('a member has no value');
    this.#fills.push(() => {
      for (let index = start; index < node.length; index += 2) {
        // Defined, not assigned: a member named __proto__ is a member like any other.
        Object.defineProperty(target, text(node[index]), {
          value: this.#value(node[index + 1]),
          writable: true,
          enumerable: true,
          configurable: true,
        });
      }
    });
    return target;
  }

  #map(node: readonly unknown[]): Map<unknown, unknown> {
    const map = new Map<unknown, unknown>();
    if (node.length % 2 === 0) throw damaged('a map has a key without a value');
    this.#fills.push(() => {
      for (let index = 1; index < node.length; index += 2)
        map.set(this.#value(node[index]), this.#value(node[index + 1]));
    });
    return map;
  }

  #set(node: readonly unknown[]): Set<unknown> {
    const set = new Set<unknown>();
    this.#fills.push(() => {
      for (let index = 1; index < node.length; index++) set.add(this.#value(node[index]));
    });
    return set;
  }

  #error(node: readonly unknown[], name: string, message: string, stack: string): Error {
    const ErrorClass = Object.hasOwn(errorClasses, name) ? errorClasses[name as keyof typeof errorClasses] : Error;
    const error = new ErrorClass(message);
    const define = (key: string, value: unknown): void =>
      void Object.defineProperty(error, key, { value, writable: true, enumerable: false, configurable: true });
    define('name', name);
    define('stack', stack === '' ? `${name}: ${message}` : stack);
    return this.#members(node, 4, error);
  }
}

function isHole(value: unknown): boolean {
  return Array.isArray(value) && value[0] === 'h';
}

function text(value: unknown): string {
  if (typeof value !== 'string') throw damaged('a text is missing');
  return value;
}

function bytes(className: string, base64: string): unknown {
  const data = new Uint8Array(Buffer.from(base64, 'base64'));
  if (className === 'ArrayBuffer') return data.buffer;
  if (!Object.hasOwn(byteClasses, className)) throw damaged('an unknown kind of bytes');
  const byteClass = byteClasses[className as 'Uint8Array'];
  if ('BYTES_PER_ELEMENT' in byteClass && data.length % byteClass.BYTES_PER_ELEMENT !== 0)
    throw damaged('bytes of a wrong length');
  return new byteClass(data.buffer);
}

// A pattern of the guest's must not run on the host, where no fuel stops it.
function regularExpression(source: string, flags: string): GuestText {
  return new GuestText(`/${source}/${flags}`);
}

function damaged(why: string): WireDamagedError {
  return new WireDamagedError(`A message from guest code is damaged: ${why}.`);
}
