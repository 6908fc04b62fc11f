// An error's stack as the author may see it: only frames of cells, at the author's own lines and columns.
import type { Position } from './positions.ts';

/** What carries a cell's places back; a `CompiledCell` or `CellPositions` is one. */
export interface CellLookup {
  originalPosition(line: number, column: number): Position | undefined;
}

export interface AuthorFrame extends Position {
  /** The cell's name, as given to `compileCell`. */
  readonly cell: string;
  /** The function's name; undefined at the top level of a cell and in functions without a name. */
  readonly function: string | undefined;
}

// Guest code may put any text into a stack; what is longer than an engine writes is not looked at.
const maxStackLength = 65_536;
const maxFrameLength = 1024;
const framePattern = /^\s*at (?:(.*) \()?(.*?):(\d+):(\d+)\)?$/;
const unnamed: ReadonlySet<string> = new Set(['<eval>', '<anonymous>', 'anonymous', '']);

/**
 * The frames of `stack` (the engine's text) that lie in cells `cellNamed` knows, innermost first.
 * Everything else is left out: engine functions, boot code, text run through `eval`.
 */
export function authorStack(stack: string, cellNamed: (name: string) => CellLookup | undefined): AuthorFrame[] {
  const frames: AuthorFrame[] = [];
  for (const text of stack.slice(0, maxStackLength).split('\n')) {
    if (text.length > maxFrameLength) continue;
    const match = framePattern.exec(text);
    if (match === null) continue;
    const [, name = '', cell = '', line, column] = match;
    const position = cellNamed(cell)?.originalPosition(Number(line), Number(column));
    if (position === undefined) continue;
    const frame: AuthorFrame = { cell, function: unnamed.has(name) ? undefined : name, ...position };
    const inner = frames.at(-1);
    // Two functions at one place: the inner one is not the author's but was put in by the compiler.
    if (inner !== undefined && isSamePlace(inner, frame) && inner.function !== frame.function) frames.pop();
    frames.push(frame);
  }
  return frames;
}

function isSamePlace(a: AuthorFrame, b: AuthorFrame): boolean {
  return a.cell === b.cell && a.line === b.line && a.column === b.column;
}
