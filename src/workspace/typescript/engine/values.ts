// Carries values across: data into boxes, boxes into data. It counts the boxes it holds, so that `capture` can tell that the
// host keeps nothing of the guest's. Nothing here runs guest code.
import type { Data, GuestType } from './engine.ts';
import { readingOf } from '../../bridge/guest-text.ts';
import { EngineStoppedError } from './errors.ts';
import { highestTag, lowestTag, tag } from './exports.ts';
import type { Box, EngineExports, Pointer } from './exports.ts';
import type { Instance } from './instance.ts';
import { mostBytes, readText, writeText } from './text.ts';

export interface GuestValue {
  readonly type: GuestType;
  readonly value: Data;
}

export class Values {
  readonly #instance: Instance;
  readonly #exports: EngineExports;
  #held = 0;

  constructor(instance: Instance) {
    this.#instance = instance;
    this.#exports = instance.exports;
  }

  /** Boxes and buffers that are the host's to free. */
  get held(): number {
    return this.#held;
  }

  /** Takes over a box the engine made. No box means that not even eight bytes could be had. */
  own(box: Box): Box {
    if (box === 0) throw new EngineStoppedError('memory');
    this.#held++;
    return box;
  }

  free(box: Box): void {
    this.#held--;
    this.#exports.qjs_free_value(box);
  }

  /** Gives a box to the engine, which frees it. */
  handOver(box: Box): Box {
    this.#held--;
    return box;
  }

  /** Reserves memory inside the engine for the time of `use`. */
  withMemory<T>(bytes: number, use: (pointer: Pointer) => T): T {
    const pointer = this.#exports.wasm_malloc(Math.max(bytes, 1));
    if (pointer === 0) throw new EngineStoppedError('memory');
    this.#held++;
    const result = use(pointer);
    this.#held--;
    this.#exports.wasm_free(pointer);
    return result;
  }

  /** Writes text, closed by a zero byte, for the time of `use`. */
  withText<T>(text: string, use: (pointer: Pointer, length: number) => T): T {
    return this.withMemory(mostBytes(text) + 1, (pointer) => {
      return use(pointer, this.#write(text, pointer));
    });
  }

  /** Writes text, closed by a zero byte, into memory that the engine will free. */
  giveText(text: string): { pointer: Pointer; length: number } {
    const pointer = this.#exports.wasm_malloc(mostBytes(text) + 1);
    if (pointer === 0) throw new EngineStoppedError('memory');
    return { pointer, length: this.#write(text, pointer) };
  }

  #write(text: string, pointer: Pointer): number {
    const room = this.#instance.room(pointer, mostBytes(text) + 1);
    const length = writeText(text, room);
    room[length] = 0;
    return length;
  }

  /** Text up to its closing zero byte. */
  readCText(pointer: Pointer): string {
    const { bytes } = this.#instance;
    return readText(bytes, pointer, bytes.indexOf(0, pointer));
  }

  /** Makes a guest value. Its tag is `exception` if the guest has no memory left for it. */
  fromData(data: Data): Box {
    switch (typeof data) {
      case 'undefined':
        return this.own(this.#exports.qjs_get_undefined());
      case 'boolean':
        return this.own(data ? this.#exports.qjs_get_true() : this.#exports.qjs_get_false());
      case 'number':
        return this.own(this.#exports.qjs_new_number(data));
      case 'string':
        return this.own(this.withText(data, (pointer, length) => this.#exports.qjs_new_string(pointer, length)));
      default:
        if (data === null) return this.own(this.#exports.qjs_get_null());
        return this.own(
          this.withMemory(data.length, (pointer) => {
            this.#instance.room(pointer, data.length).set(data);
            return this.#exports.qjs_new_uint8_array(pointer, data.length);
          }),
        );
    }
  }

  tag(box: Box): number {
    return this.#instance.word(box + 4);
  }

  isException(box: Box): boolean {
    return this.tag(box) === tag.exception;
  }

  /** Reads a guest value; a text may have so many characters, and of a longer one a part is read. */
  toData(box: Box, longestText: number = Number.POSITIVE_INFINITY): GuestValue {
    const kind = this.tag(box);
    switch (kind) {
      case tag.integer:
        return { type: 'number', value: this.#instance.word(box) };
      case tag.string:
      case tag.rope:
        return { type: 'string', value: this.#readString(box, longestText) };
      case tag.boolean:
        return { type: 'boolean', value: this.#instance.word(box) !== 0 };
      case tag.null:
        return { type: 'null', value: null };
      case tag.undefined:
        return { type: 'undefined', value: undefined };
      case tag.object:
        return this.#readObject(box);
      case tag.bigInt:
      case tag.shortBigInt:
        return { type: 'bigint', value: undefined };
      case tag.symbol:
        return { type: 'symbol', value: undefined };
      default:
        if (kind >= lowestTag && kind <= highestTag) return { type: 'undefined', value: undefined };
        return { type: 'number', value: this.#exports.qjs_get_float64(box) };
    }
  }

  #readString(box: Box, longest: number): string {
    return this.withMemory(4, (length) => {
      const text = this.#exports.qjs_get_string_len(box, length);
      if (text === 0) {
        this.dropException();
        throw new EngineStoppedError('memory');
      }
      const { bytes, encoding } = readingOf(this.#instance.word(length) >>> 0, longest);
      const memory = this.#instance.bytes;
      const result =
        encoding === 'utf8' ? readText(memory, text, text + bytes) : memory.toString(encoding, text, text + bytes);
      this.#exports.qjs_free_cstring(text);
      return result;
    });
  }

  #readObject(box: Box): GuestValue {
    if (this.#exports.qjs_is_function(box) !== 0) return { type: 'function', value: undefined };
    if (this.#exports.qjs_is_proxy(box) !== 0) return { type: 'object', value: undefined };
    const bytes = this.#readBytes(box);
    return bytes === undefined ? { type: 'object', value: undefined } : { type: 'bytes', value: bytes };
  }

  #readBytes(box: Box): Uint8Array | undefined {
    return this.withMemory(16, (out) => {
      const buffer = this.own(this.#exports.qjs_get_typed_array_buffer(box, out, out + 4, out + 8));
      if (this.isException(buffer)) {
        this.free(buffer);
        this.dropException();
        return undefined;
      }
      const [offset, length, elementSize] = [0, 4, 8].map((at) => this.#instance.word(out + at) >>> 0);
      const start = this.#exports.qjs_get_array_buffer(buffer, out + 12);
      this.free(buffer);
      if (start === 0) this.dropException(); // detached or empty
      if (elementSize !== 1) return undefined;
      const from = start + (offset ?? 0);
      return start === 0
        ? new Uint8Array(0)
        : new Uint8Array(this.#instance.bytes.subarray(from, from + (length ?? 0)));
    });
  }

  /** Takes the pending exception away. */
  takeException(): Box {
    return this.own(this.#exports.qjs_get_exception());
  }

  dropException(): void {
    this.free(this.takeException());
  }
}
