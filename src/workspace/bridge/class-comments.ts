// Which class of a script each comment before a class belongs to.
import { parse } from '@babel/parser';

export interface ClassComment {
  /** The comment, with its marks. */
  readonly text: string;
  readonly line: number;
  /** Where the class it stands before begins; undefined if it stands before none and inside none. */
  readonly before: number | undefined;
}

interface Syntax {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly declaration?: Syntax | null;
}

interface Comment extends Syntax {
  readonly loc: { readonly start: { readonly line: number } };
}

/** A statement, and the end of whatever stands before it in its block. */
interface Statement {
  readonly node: Syntax;
  readonly after: number;
}

/** Statements that can make one class. A function or a block may make any number, so a comment before it says nothing about them. */
const makers = new Set([
  'ClassDeclaration',
  'ExportDefaultDeclaration',
  'ExportNamedDeclaration',
  'ExpressionStatement',
  'ReturnStatement',
  'VariableDeclaration',
]);

/** The comments of a script that have a word, and that stand before a class or outside of all classes. */
export function commentsBeforeClasses(source: string, word: string): readonly ClassComment[] {
  const tree = parse(source, {
    sourceType: 'unambiguous',
    plugins: ['decorators', 'decoratorAutoAccessors'],
    errorRecovery: true,
    attachComment: false,
    allowAwaitOutsideFunction: true,
    allowImportExportEverywhere: true,
    allowNewTargetOutsideFunction: true,
    allowReturnOutsideFunction: true,
    allowSuperOutsideMethod: true,
    allowUndeclaredExports: true,
  });
  const comments = (tree.comments ?? []) as readonly Comment[];
  const classes: Syntax[] = [];
  const statements: Statement[] = [];
  collect(tree.program as unknown as Syntax, classes, statements);
  classes.sort((left, right) => left.start - right.start);
  return groups(comments, source).flatMap(({ start, end, loc }) => {
    const text = source.slice(start, end);
    if (!text.includes(word)) return [];
    const next = classes.find((one) => one.start >= end);
    const before = next !== undefined && standsBefore(start, next, classes, statements) ? next.start : undefined;
    const inside = classes.some((one) => one.start < start && end < one.end);
    return before === undefined && inside ? [] : [{ text, line: loc.start.line, before }];
  });
}

/** Comments with nothing but blanks between them are one. */
function groups(comments: readonly Comment[], source: string): Comment[] {
  const found: Comment[] = [];
  for (const comment of comments) {
    const last = found.at(-1);
    if (last !== undefined && source.slice(last.end, comment.start).trim() === '')
      found[found.length - 1] = { ...last, end: comment.end };
    else found.push(comment);
  }
  return found;
}

/** Whether the statement that a comment stands before, or in, makes the given class and none before it. */
function standsBefore(
  comment: number,
  target: Syntax,
  classes: readonly Syntax[],
  statements: readonly Statement[],
): boolean {
  const [nearest] = statements
    .filter(({ node, after }) => after <= comment && comment < node.end)
    .toSorted((left, right) => left.node.end - left.after - (right.node.end - right.after));
  if (nearest === undefined || !makesClass(nearest.node)) return false;
  const { start, end } = nearest.node;
  const first = classes.find((one) => start <= one.start);
  return first === target && target.end <= end;
}

function makesClass(node: Syntax): boolean {
  return makers.has(node.type) && node.declaration?.type !== 'FunctionDeclaration';
}

function collect(node: Syntax, classes: Syntax[], statements: Statement[]): void {
  if (node.type === 'ClassDeclaration' || node.type === 'ClassExpression') classes.push(node);
  for (const [name, value] of Object.entries(node)) {
    if (Array.isArray(value)) {
      const parts = value.filter(isSyntax);
      if (name === 'body' || name === 'consequent')
        for (const [index, part] of parts.entries())
          statements.push({ node: part, after: parts[index - 1]?.end ?? node.start });
      for (const part of parts) collect(part, classes, statements);
    } else if (isSyntax(value)) collect(value, classes, statements);
  }
}

function isSyntax(value: unknown): value is Syntax {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}
