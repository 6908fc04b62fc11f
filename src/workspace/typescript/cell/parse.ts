// From text to syntax. The parser is written in JavaScript: text nested too deeply ends in an error that can be caught,
// where native parsers end the process.
import { parse } from '@babel/parser';
import type { ParserOptions } from '@babel/parser';
import { CellSyntaxError, CellTooLargeError } from './errors.ts';
import type { CellError } from './errors.ts';
import { codeFrame } from './frame.ts';
import { meteredText, ReadTooOftenError } from './metered-text.ts';
import { LineIndex } from './positions.ts';
import type { Program } from './syntax.ts';
import { skipTrivia } from './trivia.ts';

export interface ParsedCell {
  /** What was parsed: the author's text, or that with a prefix. */
  readonly text: string;
  /** How many characters at the start of `text` are not the author's. */
  readonly prefix: number;
  readonly program: Program;
}

const options: ParserOptions = {
  sourceType: 'module',
  strictMode: true,
  allowUndeclaredExports: true,
  attachComment: false,
  createParenthesizedExpressions: true,
  createImportExpressions: true,
  errorRecovery: false,
  plugins: ['typescript'],
};

/** Makes a brace at the start of the text open an object. Of lowest precedence, so nothing after it is read differently. */
const objectPrefix = '0,';

export function parseCell(source: string, cell: string): ParsedCell {
  const asObject = source[skipTrivia(source, 0)] === '{' ? attempt(objectPrefix + source) : undefined;
  if (asObject?.program !== undefined && isObject(asObject.program)) {
    return { text: objectPrefix + source, prefix: objectPrefix.length, program: asObject.program };
  }
  const { program, error } = attempt(source);
  if (program !== undefined) return { text: source, prefix: 0, program };
  if (isTooDeep(error)) throw tooDeep(source, cell);
  const furthest = Math.max(indexOf(error), indexOf(asObject?.error) - objectPrefix.length);
  throw explain(furthest > indexOf(error) ? asObject?.error : error, furthest, source, cell);
}

function attempt(text: string): { readonly program?: Program; readonly error?: unknown } {
  try {
    return { program: parse(meteredText(text), options).program };
  } catch (error) {
    return { error };
  }
}

/** `{ a: 1 }` alone is an object, as authors expect of a prompt, unless it only makes sense as a block. */
function isObject(program: Program): boolean {
  const [first, ...others] = program.body.filter(({ type }) => type !== 'EmptyStatement');
  if (first?.type !== 'ExpressionStatement' || others.length > 0) return false;
  const { expression } = first;
  if (expression.type !== 'SequenceExpression' || expression.expressions.length !== 2) return false;
  return expression.expressions[1]?.type === 'ObjectExpression';
}

/** Too deep for the stack, which V8 says with a RangeError, or so ambiguous at every level that parsing would not end. */
export function isTooDeep(error: unknown): boolean {
  return error instanceof ReadTooOftenError || (error instanceof RangeError && /call stack/i.test(error.message));
}

export function tooDeep(source: string, cell: string): CellTooLargeError {
  return new CellTooLargeError('The text is nested too deeply. Split it into parts that are less nested.', {
    cell,
    line: 1,
    column: 1,
    frame: codeFrame(source.slice(0, 1000), 1, 1),
  });
}

interface BabelError extends SyntaxError {
  readonly loc: { readonly index: number };
  readonly reasonCode?: string;
  readonly missingPlugin?: readonly string[];
}

function isBabelError(error: unknown): error is BabelError {
  return error instanceof SyntaxError && 'loc' in error;
}

/** How far the parser got. */
function indexOf(error: unknown): number {
  return isBabelError(error) ? error.loc.index : -1;
}

function explain(error: unknown, index: number, source: string, cell: string): CellError {
  if (!isBabelError(error)) {
    // Some nonsense makes the parser itself fail. It is nonsense all the same.
    const place = { cell, line: 1, column: 1, frame: codeFrame(source, 1, 1) };
    return new CellSyntaxError('This text cannot be read as TypeScript.', place, error);
  }
  const { message, reasonCode = '', missingPlugin } = error;
  const position = new LineIndex(source).positionOf(Math.min(index, source.length));
  const place = { cell, ...position, frame: codeFrame(source, position.line, position.column) };
  const plain = message.replace(/ \(\d+:\d+\)$/, '');
  return new CellSyntaxError(hint(plain, reasonCode, missingPlugin, source), place);
}

function hint(message: string, reason: string, plugins: readonly string[] | undefined, source: string): string {
  if (plugins?.some((name) => name.startsWith('decorator'))) {
    return 'Decorators are not supported in a step. Call the function on the class or method instead.';
  }
  if (reason === 'IllegalReturn') {
    return "'return' outside of a function. A step's value is its last expression: write that by itself.";
  }
  if (isJsx(source)) return 'JSX is not supported in a step. Build strings or plain objects instead.';
  if (plugins !== undefined) return `This syntax is not supported in a step (${plugins.join(', ')}).`;
  return message;
}

/** Only asked once the text is known to be wrong: does it make sense with elements in it? */
function isJsx(source: string): boolean {
  if (!/<\/|\/>/.test(source)) return false;
  try {
    parse(meteredText(source), { ...options, plugins: ['typescript', 'jsx'] });
    return true;
  } catch {
    return false;
  }
}
