// What every part of the compiler shares while one cell is compiled: the text, its edits, the scopes entered so far.
import type { Edits } from '../edits.ts';
import type { CellError, CellPlace } from '../errors.ts';
import { CellSyntaxError } from '../errors.ts';
import { endOf, startOf } from '../syntax.ts';
import type { Node } from '../syntax.ts';

export interface Scope {
  readonly names: ReadonlySet<string>;
  /** In the initializers of an enum, its members go by their bare names; this is the text that stands for the enum. */
  readonly enumName?: string;
  /** Enums of this scope already met: a second declaration adds to the first. */
  readonly enums: Set<string>;
}

export type VariableKind = 'let' | 'const' | 'var' | 'function' | 'class' | 'enum' | 'import';

/** A workspace variable that this cell declares. */
export interface Variable {
  readonly name: string;
  readonly kind: VariableKind;
  /** Code at the top level before this offset runs before the variable is ready. */
  readonly readyFrom: number;
  /** So does this stretch: the initializer of a pattern, which stands after the names it fills. */
  readonly initializer?: readonly [start: number, end: number];
}

export class Context {
  readonly text: string;
  readonly edits: Edits;
  readonly variables: ReadonlyMap<string, Variable>;
  readonly #scopes: Scope[] = [];
  readonly #visit: (context: Context, node: Node) => void;
  readonly #place: (offset: number) => CellPlace;
  /** How many functions deep the visit is; 0 is code that runs when its turn in the cell comes. */
  functionDepth = 0;
  /** Where the innermost expression statement starts: text put in there must not join the line before. */
  statementStart = -1;
  /** The function depth at which the initializers of an enum are visited, or -1. */
  enumDepth = -1;

  constructor(
    text: string,
    edits: Edits,
    variables: ReadonlyMap<string, Variable>,
    place: (offset: number) => CellPlace,
    visit: (context: Context, node: Node) => void,
  ) {
    this.text = text;
    this.edits = edits;
    this.variables = variables;
    this.#place = place;
    this.#visit = visit;
  }

  visit(node: Node | null | undefined): void {
    if (node !== null && node !== undefined) this.#visit(this, node);
  }

  visitAll(nodes: readonly (Node | null | undefined)[]): void {
    for (const node of nodes) this.visit(node);
  }

  inScope(names: ReadonlySet<string>, body: () => void, enumName?: string): void {
    this.#scopes.push({ names, enums: new Set(), ...(enumName === undefined ? {} : { enumName }) });
    body();
    this.#scopes.pop();
  }

  inFunction(body: () => void): void {
    this.functionDepth++;
    body();
    this.functionDepth--;
  }

  /** The innermost scope inside the cell that declares a name; undefined if the name is a workspace variable's. */
  scopeOf(name: string): Scope | undefined {
    return this.#scopes.findLast(({ names }) => names.has(name));
  }

  get innermostScope(): Scope | undefined {
    return this.#scopes.at(-1);
  }

  /** The author's text of a node. */
  textOf(node: Node): string {
    return this.text.slice(startOf(node), endOf(node));
  }

  /** Blanks a node that only carries types. */
  blankNode(node: Node | null | undefined): void {
    if (node !== null && node !== undefined) this.edits.blank(startOf(node), endOf(node));
  }

  /** Blanks a whole statement or class member, leaving what ends the one before it. */
  dropStatement(node: Node): void {
    this.edits.blank(startOf(node), endOf(node), ';');
  }

  fail(
    where: Node | number,
    reason: string,
    kind: new (reason: string, place: CellPlace) => CellError = CellSyntaxError,
  ): never {
    throw new kind(reason, this.#place(typeof where === 'number' ? where : startOf(where)));
  }
}
