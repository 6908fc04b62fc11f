// Wire text to host values. The text comes from guest code, so nothing in it is trusted: what is not exactly a message is
// refused, and nothing it says can reach a prototype.
import { byteClasses, errorClasses, type WireMessage, type WireValue } from './wire.ts';
import { WireDamagedError, WireSizeError } from './errors.ts';

export interface DecodeOptions {
  /** The host object behind a handle; throws if there is none. */
  handle(token: string): unknown;
  /** A function that calls a guest function, while the call that brought it lasts; throws where that is not possible. */
  callback(id: number, name: string): unknown;
  readonly maxBytes: number;
  /** Called often; throws if there is no time left, or will be none after so many milliseconds. */
  readonly refuseIfOver?: (after?: number) => void;
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

export function decodeWire(received: WireMessage, options: DecodeOptions): unknown {
  refuseLarge(received.length, options.maxBytes);
  if (received.length > quicklyRead && options.maxBytes !== Number.POSITIVE_INFINITY) {
    const parts = partsOf(received);
    const most = Math.max(leastParts, Math.floor(options.maxBytes / bytesPerPart));
    if (parts > most)
      throw new WireSizeError(
        `A value from guest code has too many parts: ${parts} arrays, objects and references, ${most} allowed.`,
        { parts, limit: most },
      );
    // Reading it cannot be stopped in the middle.
    options.refuseIfOver?.((received.length * nanosecondsPerCharacter + parts * nanosecondsPerPart) / 1e6);
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

/** Refuses what takes more bytes than may cross at once. */
export function refuseLarge(size: number, maxBytes: number): void {
  if (size <= maxBytes) return;
  throw new WireSizeError(`A value from guest code is too large: more than the ${maxBytes} bytes that are allowed.`, {
    limit: maxBytes,
  });
}

const quicklyRead = 64 * 1024;
/** Each part takes far more memory here than in the text: a message of nothing but parts would take eighty times its length. */
const bytesPerPart = 16;
const leastParts = 10_000;
const nanosecondsPerCharacter = 5;
const nanosecondsPerPart = 150;

/** How many arrays the text has, which is how objects and references are written, too. */
function partsOf(message: string): number {
  let parts = 0;
  let isText = false;
  for (let index = 0; index < message.length; index++) {
    const character = message.charCodeAt(index);
    if (character === quote) isText = !isText;
    else if (isText && character === backslash) index++;
    else if (!isText && character === openBracket) parts++;
  }
  return parts;
}

const quote = 0x22;
const backslash = 0x5c;
const openBracket = 0x5b;
/** How many values are made between two looks at the clock; a power of two. */
const valuesPerLook = 1024;

class Decoder {
  readonly #message: readonly unknown[];
  readonly #options: DecodeOptions;
  readonly #made: unknown[] = [];
  #values = 0;

  constructor(message: readonly unknown[], options: DecodeOptions) {
    this.#message = message;
    this.#options = options;
  }

  root(): unknown {
    // First every object is made, empty; then each is filled, so that cycles find their ends.
    for (let index = 1; index < this.#message.length; index++) this.#made.push(this.#make(this.#message[index]));
    for (let index = 1; index < this.#message.length; index++)
      this.#fill(this.#message[index] as readonly unknown[], this.#made[index - 1]);
    return this.#value(this.#message[0]);
  }

  #look(): void {
    if ((++this.#values & (valuesPerLook - 1)) === 0) this.#options.refuseIfOver?.();
  }

  #value(value: unknown): unknown {
    this.#look();
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
        return Number(text(second));
      case 'b':
        return bigint(text(second));
      default:
        throw damaged('an unknown mark');
    }
  }

  #make(node: unknown): unknown {
    this.#look();
    if (!Array.isArray(node)) throw damaged('a node is not an array');
    const [kind, first, second, third] = node as unknown[];
    switch (kind) {
      case 'A':
        return [];
      case 'O':
        return {};
      case 'M':
        return new Map();
      case 'S':
        return new Set();
      case 'D':
        return new Date(typeof first === 'number' ? first : Number.NaN);
      case 'Y':
        return bytes(text(first), text(second));
      case 'E':
        return error(text(first), text(second), text(third));
      case 'X':
        return regularExpression(text(first), text(second));
      case 'H':
        return this.#options.handle(text(first));
      case 'C':
        return this.#options.callback(number(first), typeof second === 'string' ? second : '');
      case 'F':
        return new GuestFunction(text(first), text(second));
      case 'I':
        return new GuestInstance(text(first), {});
      case 'T':
        return new GuestText(text(first));
      case '+':
        return new CutMembers(number(first));
      default:
        throw damaged('an unknown node');
    }
  }

  #fill(node: readonly unknown[], target: unknown): void {
    switch (node[0]) {
      case 'A':
        this.#fillArray(node, target as unknown[]);
        break;
      case 'O':
        this.#fillMembers(node, 1, target as object);
        break;
      case 'E':
        this.#fillMembers(node, 4, target as object);
        break;
      case 'I':
        this.#fillMembers(node, 2, (target as GuestInstance).fields);
        break;
      case 'M':
        if (node.length % 2 === 0) throw damaged('a map has a key without a value');
        for (let index = 1; index < node.length; index += 2)
          (target as Map<unknown, unknown>).set(this.#value(node[index]), this.#value(node[index + 1]));
        break;
      case 'S':
        for (let index = 1; index < node.length; index++) (target as Set<unknown>).add(this.#value(node[index]));
        break;
      default:
    }
  }

  #fillArray(node: readonly unknown[], array: unknown[]): void {
    array.length = node.length - 1;
    for (let index = 1; index < node.length; index++)
      if (!isHole(node[index])) array[index - 1] = this.#value(node[index]);
  }

  #fillMembers(node: readonly unknown[], start: number, target: object): void {
    if ((node.length - start) % 2 !== 0) throw damaged('a member has no value');
    for (let index = start; index < node.length; index += 2) {
      const name = text(node[index]);
      const value = this.#value(node[index + 1]);
      // What an error is called, says and where it comes from is text, whatever members it has.
      if (target instanceof Error && (name === 'name' || name === 'message' || name === 'stack')) continue;
      // Defined, not assigned: a member named __proto__ is a member like any other.
      Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
    }
  }
}

function error(name: string, message: string, stack: string): Error {
  const ErrorClass = Object.hasOwn(errorClasses, name) ? errorClasses[name as keyof typeof errorClasses] : Error;
  const made = withoutStack(() => new ErrorClass(message));
  const define = (key: string, value: unknown): void =>
    void Object.defineProperty(made, key, { value, writable: true, enumerable: false, configurable: true });
  define('name', name);
  define('stack', stack === '' ? `${name}: ${message}` : stack);
  return made;
}

/** What an error of the guest's is told by is written over its stack; the host's own takes time and memory to find. */
function withoutStack<Made>(make: () => Made): Made {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return make();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function isHole(value: unknown): boolean {
  return Array.isArray(value) && value[0] === 'h';
}

function text(value: unknown): string {
  if (typeof value !== 'string') throw damaged('a text is missing');
  return value;
}

function number(value: unknown): number {
  if (typeof value !== 'number') throw damaged('a number is missing');
  return value;
}

// Reading digits takes more than linear time; nobody counts as far as this.
const maxDigits = 100_000;

function bigint(digits: string): bigint {
  if (digits.length > maxDigits) throw damaged(`a bigint has more than ${maxDigits} digits`);
  if (!/^-?\d+$/.test(digits)) throw damaged('a bigint is malformed');
  return BigInt(digits);
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
