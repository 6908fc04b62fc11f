// Operators: long chains without recursion, and type assertions taken away without changing what binds to what.
import type { Context } from './context.ts';
import { endOf, startOf } from '../syntax.ts';
import type { Node } from '../syntax.ts';

type BinaryNode = Extract<Node, { type: 'BinaryExpression' | 'LogicalExpression' }>;
type WrapperNode = Extract<
  Node,
  {
    type:
      | 'TSAsExpression'
      | 'TSSatisfiesExpression'
      | 'TSNonNullExpression'
      | 'TSInstantiationExpression'
      | 'TSTypeAssertion';
  }
>;

/** `a + b + c + …` leans to the left: a long one is walked in a loop, since it is as deep as it is long. */
export function visitBinary(context: Context, node: BinaryNode): void {
  const spine: BinaryNode[] = [];
  let left: Node = node;
  while (left.type === 'BinaryExpression' || left.type === 'LogicalExpression') {
    spine.push(left);
    left = left.left;
  }
  if (left.type === 'TSAsExpression' || left.type === 'TSSatisfiesExpression') visitLeftAssertion(context, left);
  else context.visit(left);
  for (const { operator, right } of spine.toReversed()) {
    // A script takes `<!--` for a comment; what was parsed is `< !--`.
    const at = startOf(right);
    if (operator === '<' && context.text.startsWith('<!--', at - 1)) context.edits.insert(at, ' ');
    context.visit(right);
  }
}

/** `a + b as T * c` means `(a + b) * c`. */
function visitLeftAssertion(
  context: Context,
  node: Extract<Node, { type: 'TSAsExpression' | 'TSSatisfiesExpression' }>,
): void {
  const { expression } = node;
  const lead = startOf(expression) === context.statementStart ? '0,(' : '(';
  context.edits.insert(startOf(expression), lead);
  const outer = context.statementStart;
  context.statementStart = -1;
  context.visit(expression);
  context.statementStart = outer;
  context.edits.insert(endOf(expression), ')');
  context.edits.blank(endOf(expression), endOf(node));
}

export function visitTypeWrapper(context: Context, node: WrapperNode): void {
  const { expression } = node;
  if (node.type !== 'TSTypeAssertion') {
    context.visit(expression);
    context.edits.blank(endOf(expression), endOf(node));
    return;
  }
  // Parentheses in place of `<T>`: a line break inside it must not end a `return`.
  const lead = startOf(node) === context.statementStart ? '0,(' : '(';
  context.edits.insert(startOf(node), lead);
  context.edits.blank(startOf(node), startOf(expression));
  context.visit(expression);
  context.edits.insert(endOf(node), ')');
}
