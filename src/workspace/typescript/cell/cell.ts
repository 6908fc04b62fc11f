// The compiler for steps: from a cell of TypeScript, as an author writes it, to a script for the engine. It does not
// run anything. docs/decisions/0030-cells.md tells what a cell means where that differs from a TypeScript file.
import { Context } from './lowering/context.ts';
import type { VariableKind } from './lowering/context.ts';
import { Edits } from './edits.ts';
import { CellNameError, CellTooLargeError } from './errors.ts';
import type { CellPlace } from './errors.ts';
import { codeFrame } from './frame.ts';
import type { CellImport } from './lowering/imports.ts';
import { refusedName } from './names.ts';
import { isTooDeep, parseCell, tooDeep } from './parse.ts';
import { CellPositions, LineIndex } from './positions.ts';
import type { CellMap, Position } from './positions.ts';
import { lowerProgram } from './lowering/program.ts';
import { endOf, startOf } from './syntax.ts';
import { collectVariables } from './lowering/variables.ts';
import { visit } from './lowering/visit.ts';

export interface CellOptions {
  /** The file name the engine reports in stacks, such as `step 7`. */
  readonly name: string;
  /** The specifiers `import` may name. */
  readonly modules: ReadonlySet<string>;
  /** The longest text accepted, in bytes of UTF-8; 1 MiB if left out. */
  readonly maxBytes?: number;
}

export interface CompiledCell {
  readonly name: string;
  /** The author's text. */
  readonly source: string;
  /** A global script in strict mode with top-level `await`; its completion value is the step's value. */
  readonly code: string;
  /** Leads from `code` back to `source`; plain data to store beside the step (`new CellPositions(source, map)`). */
  readonly map: CellMap;
  /** The workspace variables this cell declares, in the order of the text. */
  readonly declared: readonly { readonly name: string; readonly kind: VariableKind }[];
  readonly imports: readonly CellImport[];
  /** The author's place for a line and column of `code` as the engine reports them (from 1, columns in bytes). */
  originalPosition(line: number, column: number): Position | undefined;
}

const defaultMaxBytes = 1024 * 1024;

/** Compiles one cell, or throws a `CellError` with the place; nothing has run then. */
export function compileCell(source: string, { name, modules, maxBytes }: CellOptions): CompiledCell {
  checkSize(source, name, maxBytes);
  const { text, prefix, program } = parseCell(source, name);
  const edits = new Edits(text);
  const place = (offset: number): CellPlace => placeIn(source, name, Math.max(0, offset - prefix));
  try {
    const variables = collectVariables(program, (variable, offset) => {
      const reason = refusedName(variable);
      if (reason !== undefined) throw new CellNameError(reason, place(offset));
    });
    const { interpreter } = program;
    if (interpreter) edits.blank(startOf(interpreter), endOf(interpreter));
    const imports = lowerProgram(new Context(text, edits, variables, place, visit), program, modules);
    const { code, map } = edits.apply(prefix);
    const declared = [...variables.values()].map(({ name: variable, kind }) => ({ name: variable, kind }));
    let positions: CellPositions | undefined;
    return {
      name,
      source,
      code,
      map,
      declared,
      imports,
      originalPosition(line, column) {
        positions ??= new CellPositions(source, map);
        return positions.originalPosition(line, column);
      },
    };
  } catch (error) {
    throw isTooDeep(error) ? tooDeep(source, name) : error;
  }
}

function placeIn(source: string, cell: string, offset: number): CellPlace {
  const position = new LineIndex(source).positionOf(offset);
  return { cell, ...position, frame: codeFrame(source, position.line, position.column) };
}

/** Refuses a text that is too long. */
export function checkSize(source: string, name: string, maxBytes = defaultMaxBytes): void {
  if (source.length <= maxBytes / 3) return;
  const bytes = Buffer.byteLength(source);
  if (bytes <= maxBytes) return;
  const reason = `The text has ${bytes} bytes; a step may have ${maxBytes}. Split it, or pass large data as a variable.`;
  throw new CellTooLargeError(reason, {
    cell: name,
    line: 1,
    column: 1,
    frame: codeFrame(source.slice(0, 1000), 1, 1),
  });
}
