// The call that a place in a cell belongs to. The engine tells where the last part of a call was evaluated, which may be deep in
// its arguments; people look for its beginning.
import { parseCell } from './parse.ts';
import { LineIndex, type Position } from './positions.ts';
import { endOf, startOf, type Node } from './syntax.ts';

/** Where the innermost call around a place begins; the place itself if there is none. */
export function callAround(source: string, place: Position): Position {
  const lines = new LineIndex(source);
  const { program, prefix } = parseCell(source, 'cell');
  const offset = (lines.starts[place.line - 1] ?? 0) + place.column - 1 + prefix;
  let found: Node | undefined;
  let inside: Node | undefined = program;
  while (inside !== undefined) {
    if (inside.type === 'CallExpression' || inside.type === 'OptionalCallExpression') found = inside;
    inside = partsOf(inside).find((part) => startOf(part) <= offset && offset < endOf(part));
  }
  return found === undefined ? place : lines.positionOf(startOf(found) - prefix);
}

function partsOf(node: Node): Node[] {
  return Object.values(node)
    .flat()
    .filter((part): part is Node => typeof part === 'object' && part !== null && 'type' in part && 'start' in part);
}
