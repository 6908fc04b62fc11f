// What a step's author sees of an exception: its place in their own text, and a traceback of their own frames.
import type { CodePlace, StepError } from '../rows.ts';
import { codeFrame } from '../typescript/cell/frame.ts';

interface Place extends CodePlace {
  readonly name: string;
}

const maxStackLength = 65_536;
const maxFrames = 200;
/** As Python does, a place that repeats is told this often. */
const maxRepeated = 3;

/** The error's stack has one line for each place, innermost first, as boot code writes them. */
export function authorError(error: Error, sourceOf: (step: number) => string | undefined): StepError {
  const isSyntax = error.name === 'SyntaxError' || error.name === 'IndentationError' || error.name === 'TabError';
  const places = placesIn(error.stack ?? '').map((place) => (isSyntax ? place : inCharacters(place, sourceOf)));
  const [first] = places;
  const code: unknown = (error as { code?: unknown }).code;
  const source = first === undefined ? undefined : sourceOf(first.step);
  return {
    name: error.name,
    message: error.message,
    ...(typeof code === 'string' ? { code } : {}),
    ...(first === undefined
      ? {}
      : {
          line: first.line,
          column: first.column,
          ...(source === undefined ? {} : { frame: codeFrame(source, first.line, first.column) }),
          stack: traceback(error, places, sourceOf),
        }),
  };
}

function placesIn(stack: string): Place[] {
  const found = stack
    .slice(0, maxStackLength)
    .matchAll(/^ {4}at (\S*|<[^\n>]*>) \(step (\d{1,15}):(\d{1,9}):(\d{1,9})\)$/gm);
  return [...found].map((match) => ({
    name: match[1] ?? '',
    step: Number(match[2]),
    line: Number(match[3]),
    column: Number(match[4]),
  }));
}

/** Python counts columns in bytes. */
export function inCharacters<Known extends CodePlace>(
  place: Known,
  sourceOf: (step: number) => string | undefined,
): Known {
  const text = lineOf(place, sourceOf);
  const column =
    Buffer.from(text)
      .subarray(0, place.column - 1)
      .toString().length + 1;
  return text === '' ? place : { ...place, column };
}

function traceback(error: Error, places: readonly Place[], sourceOf: (step: number) => string | undefined): string {
  const lines = ['Traceback (most recent call last):'];
  let repeated = 0;
  let last = '';
  const endRepeats = (): void => {
    const more = repeated - maxRepeated;
    if (more > 0) lines.push(`  [Previous line repeated ${more} more time${more === 1 ? '' : 's'}]`);
  };
  for (const place of places.toReversed().slice(-maxFrames)) {
    const told = `  File "step ${place.step}", line ${place.line}${place.name === '' ? '' : `, in ${place.name}`}`;
    if (told !== last) endRepeats();
    repeated = told === last ? repeated + 1 : 1;
    last = told;
    if (repeated > maxRepeated) continue;
    lines.push(told);
    const text = lineOf(place, sourceOf).trim();
    if (text !== '') lines.push(`    ${text.slice(0, 200)}`);
  }
  endRepeats();
  lines.push(error.message === '' ? error.name : `${error.name}: ${error.message.slice(0, 2000)}`);
  return lines.join('\n');
}

function lineOf({ step, line }: CodePlace, sourceOf: (step: number) => string | undefined): string {
  return sourceOf(step)?.split('\n')[line - 1] ?? '';
}
