// What a language's engine supplies to the workspace. Nothing above knows which language runs.
import type { ImagePages } from '../history/door.ts';
import type { Operation, Plain, PlainOperation } from './bridge/operations.ts';
import type { LanguageName } from './language-name.ts';
import type { CodePlace, StepError } from './rows.ts';
import type { WorkspaceLimits } from './limits.ts';
import type { WireMessage } from './wire/wire.ts';

/** Where an image differs from another one. */
export interface ImageDifference {
  /** Every page that differs, ascending. */
  readonly pages: readonly number[];
  /** In these pages only these bytes may differ: start, end, start, end …, ascending, multiples of 32. Without it, all of them. */
  readonly ranges?: readonly number[];
}

/** A program at rest. Pages are immutable and shared between images. */
export interface StoredImage {
  readonly pageCount: number;
  page(index: number): Uint8Array;
  /** About what it takes in memory beside what it shares with others of its kind; default: all its pages. */
  readonly memoryBytes?: number;
  /** What must be stored beside the pages. */
  readonly headerBytes: Uint8Array;
  /** Where it differs from another image, if that is known without comparing. */
  changedSince?(earlier: StoredImage): ImageDifference | undefined;
}

/** What the host answers while a slice runs. */
export interface ProgramHost {
  answer(operation: Operation, text: string): string;
  /** A value that is no text is the answer; a text is one like those of `answer`, or '"' and a string that is the answer. */
  answerPlain(operation: PlainOperation, values: readonly Plain[]): Plain;
  now(): number;
  /** The slice has had its time; whoever finds that out stops the program, wherever it is. */
  isOver(): boolean;
  /** Minutes to add to UTC for local time, at a moment in seconds since 1970. */
  zoneOffset(seconds: number): number;
}

/** Source that was checked and is ready to run. */
export interface CompiledStep {
  readonly source: string;
}

/** How much of values is shown. */
export interface ShownSizes {
  /** Members of one value. */
  readonly items: number;
  /** Levels of values in values. */
  readonly depth: number;
  /** Characters of one text. */
  readonly text: number;
  /** Objects in all. */
  readonly nodes: number;
  /** Characters in all. */
  readonly characters: number;
  /** One value, by names and places from a variable on; so many of its members from `offset` on, whatever `items` says. */
  readonly path?: readonly (string | number)[];
  readonly offset?: number;
  readonly limit?: number;
}

/** A program in one slice. Everything is synchronous; what it throws ends the slice, and nothing of it stands. */
export interface RunningProgram {
  define(name: string, message: WireMessage): void;
  /** Begins a step. */
  begin(step: number, compiled: CompiledStep): void;
  settle(future: number, failed: boolean, message: WireMessage): void;
  forget(future: number): void;
  /** Calls a guest function that was handed to the host with the call under way; the answer is a message. */
  callBack(id: number, parameters: WireMessage): WireMessage;
  /** Runs until there is nothing left to do; returns errors that were thrown where nobody could catch them. */
  finish(): readonly string[];
  /** Nothing is left to do. */
  readonly isIdle: boolean;
  /** Memory is left for a later step to run in, if only to free some. */
  readonly hasRoom: boolean;
  /** Frees what is out of reach. That may wake code that waits for it. */
  collectGarbage(): void;
  /** Takes off the CPU time what the host did for the program, in units of ten nanoseconds. */
  spend(units: number): void;
  /** Tokens of the handles the program still holds. */
  heldTokens(): readonly string[];
  /** The program's variables as a message of shown values, without running any of its code. */
  variables(sizes: ShownSizes): WireMessage;
  capture(): StoredImage;
  release(): void;
}

/** The image that new programs of a language start from. */
export interface Boot {
  readonly image: StoredImage;
  /** All of it in one piece; must not be changed. */
  readonly bytes: Uint8Array;
}

export interface Language {
  readonly name: LanguageName;
  /** Running a slice again costs more than waiting for an object that is not loaded, with the whole thread. */
  readonly isCostlyToRepeat: boolean;
  /**
   * Loads what takes long to load, without keeping this thread from its other work: what running takes, and for new programs also
   * the boot image. Everything else works without it too.
   */
  prepare?(programs: 'stored programs' | 'new programs'): Promise<void>;
  boot(): Boot;
  /** An image of a history as one of programs; refused if it cannot be one. */
  imageFrom(image: ImagePages): StoredImage;
  /** `image` is never used again, because it was replaced by `successor` or left memory: its pages may be used for other images. */
  retire?(image: StoredImage, successor: StoredImage | undefined): void;
  /** Throws an error with the place of the mistake if the source is not valid. */
  compile(source: string, step: number, limits: WorkspaceLimits): CompiledStep;
  start(image: StoredImage, host: ProgramHost, limits: WorkspaceLimits, seed?: bigint): RunningProgram;
  /** The author's place for one that the engine told, given the source of its step. */
  authorPlace(place: CodePlace, source: string): CodePlace | undefined;
  /** What a step's author sees of an error: places in their own text, and only their own frames. */
  authorError(error: Error, sourceOf: (step: number) => string | undefined): StepError;
  close(): void;
}
