// Host values to wire text.
import { crossesByHandle } from '../bridge/exposure.ts';
import { byteClasses, type ByteContainer, type Mark, type WireMessage } from './wire.ts';
import { WireSizeError, WireValueError } from './errors.ts';

export interface EncodeOptions {
  /** Gives the token of the handle for an object or function that crosses by reference; undefined if it must not cross. */
  handleFor(value: object, path: string): string | undefined;
  readonly maxBytes: number;
  /** What errors call the value; default: `value`. */
  readonly path?: string;
  /** What crosses as data in place of an object that must not cross by reference; undefined if nothing does. */
  readonly snapshotOf?: (value: object) => Readonly<Record<string, unknown>> | undefined;
  /** Called often; throws if there is no time left. */
  readonly refuseIfOver?: () => void;
}

/** How many values are written between two looks at the clock; a power of two. */
const valuesPerLook = 1024;

/** The message for a host value. Plain data crosses as data, everything else by handle. */
export function encodeWire(value: unknown, options: EncodeOptions): WireMessage {
  return new Encoder(options).message(value);
}

/** The message of one handle, by its token. */
export function handleMessage(token: string): WireMessage {
  return `[[0],["H",${JSON.stringify(token)}]]` as WireMessage;
}

class Encoder {
  readonly #options: EncodeOptions;
  readonly #indices = new Map<object, number>();
  readonly #waiting: { readonly value: object; readonly path: string }[] = [];
  #size = 0;
  #values = 0;

  constructor(options: EncodeOptions) {
    this.#options = options;
  }

  message(value: unknown): WireMessage {
    const root = this.#value(value, this.#options.path ?? 'value');
    const nodes: string[] = [root];
    // Nodes found on the way are appended to the list being walked.
    for (let index = 0; index < this.#waiting.length; index++) {
      const { value: object, path } = this.#waiting[index] as { value: object; path: string };
      nodes.push(this.#node(object, path));
    }
    return `[${nodes.join()}]` as WireMessage;
  }

  #value(value: unknown, path: string): string {
    if ((++this.#values & (valuesPerLook - 1)) === 0) this.#options.refuseIfOver?.();
    switch (typeof value) {
      case 'string':
        return this.#text(value);
      case 'boolean':
        return value ? 'true' : 'false';
      case 'number':
        return numberText(value);
      case 'undefined':
        return '["u"]';
      case 'bigint':
        return mark(['b', value.toString()]);
      case 'symbol':
        throw new WireValueError(`${path} is a symbol, which cannot be handed to guest code. Use a string.`, { path });
      default:
        return value === null ? 'null' : `[${this.#indexOf(value as object, path)}]`;
    }
  }

  #indexOf(value: object, path: string): number {
    let index = this.#indices.get(value);
    if (index === undefined) {
      index = this.#indices.size;
      this.#indices.set(value, index);
      this.#waiting.push({ value, path });
    }
    return index;
  }

  #node(value: object, path: string): string {
    // What the application said about an object holds wherever the object is met, plain data or not.
    if (crossesByHandle(value)) return this.#handle(value, path);
    if (Array.isArray(value)) return this.#array(value, path);
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype === Object.prototype || prototype === null) return this.#members('["O"', value, path);
    if (value instanceof Date) return `["D",${Number.isNaN(value.getTime()) ? 'null' : value.getTime()}]`;
    if (value instanceof Map) return this.#map(value, path);
    if (value instanceof Set) return this.#set(value, path);
    if (value instanceof Error) return this.#error(value, path);
    if (value instanceof RegExp) return `["X",${JSON.stringify(value.source)},${JSON.stringify(value.flags)}]`;
    const bytes = bytesNode(value);
    if (bytes !== undefined) return this.#count(bytes);
    return this.#handle(value, path);
  }

  #handle(value: object, path: string): string {
    const token = this.#options.handleFor(value, path);
    if (token !== undefined) return this.#count(`["H",${JSON.stringify(token)}]`);
    const snapshot = this.#options.snapshotOf?.(value);
    if (snapshot !== undefined) return this.#members('["O"', snapshot, path);
    throw new WireValueError(
      `${path} is ${describe(value)}, which cannot be handed to guest code. Return plain data, or expose it.`,
      { path },
    );
  }

  #array(value: readonly unknown[], path: string): string {
    const before = this.#size;
    let text = '["A"';
    for (let index = 0; index < value.length; index++) {
      text += index in value ? `,${this.#value(value[index], `${path}[${index}]`)}` : ',["h"]';
      if ((index & 1023) === 1023) this.#refuseLarge(text.length + before - this.#size);
    }
    return this.#whole(`${text}]`, before);
  }

  #members(start: string, value: object, path: string): string {
    const before = this.#size;
    let text = start;
    for (const [name, member] of Object.entries(value))
      text += `,${this.#text(name)},${this.#value(member, `${path}.${name}`)}`;
    return this.#whole(`${text}]`, before);
  }

  #map(value: ReadonlyMap<unknown, unknown>, path: string): string {
    const before = this.#size;
    let text = '["M"';
    for (const [key, member] of value)
      text += `,${this.#value(key, `${path} (a key)`)},${this.#value(member, `${path} (a value)`)}`;
    return this.#whole(`${text}]`, before);
  }

  #set(value: ReadonlySet<unknown>, path: string): string {
    const before = this.#size;
    let text = '["S"';
    for (const member of value) text += `,${this.#value(member, `${path} (a member)`)}`;
    return this.#whole(`${text}]`, before);
  }

  // An error crosses as its name, message and code. Its stack, cause and other members tell of the host, and stay here.
  #error(value: Error, path: string): string {
    const { name, message, code } = value as {
      readonly name: unknown;
      readonly message: unknown;
      readonly code?: unknown;
    };
    const members = typeof code === 'string' || typeof code === 'number' ? { code } : {};
    return this.#members(`["E",${this.#text(String(name))},${this.#text(String(message))},""`, members, path);
  }

  #text(text: string): string {
    return this.#count(JSON.stringify(text));
  }

  /** The text of a container, whose parts were counted as they came. */
  #whole(text: string, before: number): string {
    this.#size = before;
    return this.#count(text);
  }

  #count(text: string): string {
    this.#size += text.length;
    this.#refuseLarge(0);
    return text;
  }

  #refuseLarge(pending: number): void {
    if (this.#size + pending > this.#options.maxBytes) {
      throw new WireSizeError(
        `A value is too large to be handed to guest code: more than ${this.#options.maxBytes} bytes. Hand it over in parts, or expose it as a collection.`,
        { limit: this.#options.maxBytes },
      );
    }
  }
}

function numberText(value: number): string {
  if (Number.isFinite(value) && !Object.is(value, -0)) return String(value);
  return mark(['n', Object.is(value, -0) ? '-0' : String(value)]);
}

function mark(value: readonly [Mark[0], string]): string {
  return JSON.stringify(value);
}

function bytesNode(value: object): string | undefined {
  for (const [name, byteClass] of Object.entries(byteClasses)) {
    if (!(value instanceof byteClass)) continue;
    const container = value as ByteContainer;
    const bytes =
      container instanceof ArrayBuffer
        ? Buffer.from(container)
        : Buffer.from(container.buffer, container.byteOffset, container.byteLength);
    return `["Y","${name}","${bytes.toString('base64')}"]`;
  }
  return undefined;
}

function describe(value: object): string {
  if (typeof value === 'function') return 'a function';
  const name: unknown = (value as { constructor?: { name?: unknown } }).constructor?.name;
  return typeof name === 'string' && name !== '' ? `an instance of ${name}` : 'an object of its own kind';
}
