// Between an instance and whoever uses it: what the interpreter asks for, and what answering takes.
import type { Pointer } from './exports.ts';

/** Answers the engine's calls. One object at a time stands behind an instance. */
export interface InstanceUser {
  /** Boot code wrote to the channel. */
  channelWrite(bytes: Uint8Array): void;
  /** Boot code reads from the channel: at most so many bytes, or nothing now, and then the whole stack is put aside. */
  channelRead(most: number): Uint8Array | undefined;
  /** Something was written to standard output (1) or standard error (2) without going through `sys`. */
  output(descriptor: number, bytes: Uint8Array): void;
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds of a clock that only goes forward. */
  elapsed(): number;
  /** Minutes to add to UTC for local time. */
  zoneOffset(seconds: number): number;
  fillRandom(bytes: Uint8Array): void;
  /** The counter of work has sunk below zero; the guest traps unless it is raised. */
  spent(): void;
  /** Takes work off the program's budget that the host did for it. */
  spend(units: number): void;
  /** Bytes the memory may have. */
  readonly memoryLimit: number;
}

/** What a call of the interpreter sees of its instance. */
export interface CallingInstance {
  readonly answers: InstanceUser;
  /** The whole memory, for reading. Ask again after every call into the engine: growing makes a new one. */
  readonly bytes: Buffer;
  readonly view: DataView;
  /** A part of memory to write to. Whoever writes elsewhere makes the program's next image wrong. */
  room(pointer: Pointer, length: number): Buffer;
  /** The text at an address, up to its closing zero. */
  text(pointer: Pointer): string;
  /** Where a call's pieces of memory are: address and length of each. */
  pieces(list: Pointer, count: number): [Pointer, number][];
  /** Writes the name of a time zone where C code can find it. */
  zoneName(name: string): Pointer;
}
