// Cells that were compiled before, by their text: agents and loops give the same text again and again. What is compiled does
// not depend on the number of the step; only its name does.
import { checkSize, compileCell, type CellOptions, type CompiledCell } from './cell.ts';

/** Characters of source that are remembered. */
const maxCharacters = 2 * 1024 * 1024;
/** A longer text is rarely given twice. */
const longest = 64 * 1024;

export class CompiledCells {
  readonly #cells = new Map<string, CompiledCell>();
  #characters = 0;

  /** Compiles a cell, or throws a `CellError` with the place. All cells have the same modules. */
  get(source: string, options: CellOptions): CompiledCell {
    const known = this.#cells.get(source);
    if (known === undefined) return this.#remember(compileCell(source, options));
    checkSize(source, options.name, options.maxBytes);
    // The last one in the map is the one used last.
    this.#cells.delete(source);
    this.#cells.set(source, known);
    return { ...known, name: options.name };
  }

  #remember(cell: CompiledCell): CompiledCell {
    const { source } = cell;
    if (source.length > longest) return cell;
    this.#cells.set(source, cell);
    this.#characters += source.length;
    for (const [oldest] of this.#cells) {
      if (this.#characters <= maxCharacters) break;
      this.#cells.delete(oldest);
      this.#characters -= oldest.length;
    }
    return cell;
  }
}
