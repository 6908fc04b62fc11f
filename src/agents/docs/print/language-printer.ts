// How much of the comments a listing has, and what a language must be able to say.
import type { Declaration, FunctionDeclaration } from '../declaration.ts';
import type { TypeNode } from '../syntax/type-node.ts';

/** `usual` is the brief, the parameters and the result. */
export type Detail = 'none' | 'brief' | 'usual' | 'full';

export interface LanguagePrinter {
  /** One line. */
  signature(declaration: FunctionDeclaration): string;
  text(declaration: Declaration, detail: Detail): string;
  variable(name: string, type: TypeNode): string;
  /** A remark at the end of a line. */
  remark(text: string): string;
}
