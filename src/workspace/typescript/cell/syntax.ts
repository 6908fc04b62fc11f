// The parsed form of a cell, as far as the compiler needs to know it. Unknown kinds of syntax are refused, not passed on.
import type { File, Node as BabelNode } from '@babel/types';

export type Node = BabelNode;
export type Program = File['program'];
export type Kind = Node['type'];

export function startOf(node: Node): number {
  return node.start as number;
}

export function endOf(node: Node): number {
  return node.end as number;
}

/** A part of a node by its name, such as those of `plainParts`. */
export function partOf(node: Node, name: string): Node | (Node | null)[] | null | undefined {
  return Reflect.get(node, name) as Node | (Node | null)[] | null | undefined;
}

/** Expressions and statements that need nothing but a visit of their parts, with the parts in the order of the text. */
export const plainParts: Readonly<Partial<Record<Kind, readonly string[]>>> = {
  ArrayExpression: ['elements'],
  BigIntLiteral: [],
  BooleanLiteral: [],
  BreakStatement: [],
  ConditionalExpression: ['test', 'consequent', 'alternate'],
  ContinueStatement: [],
  DebuggerStatement: [],
  DoWhileStatement: ['body', 'test'],
  EmptyStatement: [],
  IfStatement: ['test', 'consequent', 'alternate'],
  LabeledStatement: ['body'],
  NullLiteral: [],
  NumericLiteral: [],
  ObjectExpression: ['properties'],
  ParenthesizedExpression: ['expression'],
  PrivateName: [],
  SequenceExpression: ['expressions'],
  SpreadElement: ['argument'],
  StringLiteral: [],
  Super: [],
  SwitchCase: ['test', 'consequent'],
  TemplateLiteral: ['expressions'],
  ThisExpression: [],
  TryStatement: ['block', 'handler', 'finalizer'],
  UnaryExpression: ['argument'],
  WhileStatement: ['test', 'body'],
  YieldExpression: ['argument'],
};

/** The expression inside parentheses and type assertions. */
export function unwrap(node: Node): Node {
  let inner = node;
  for (;;) {
    switch (inner.type) {
      case 'ParenthesizedExpression':
      case 'TSAsExpression':
      case 'TSSatisfiesExpression':
      case 'TSNonNullExpression':
      case 'TSTypeAssertion':
      case 'TSInstantiationExpression':
        inner = inner.expression;
        break;
      default:
        return inner;
    }
  }
}

/** A function or class without a name of its own, which takes the name of the variable it is assigned to. */
export function takesName(node: Node): boolean {
  const inner = unwrap(node);
  switch (inner.type) {
    case 'ArrowFunctionExpression':
      return true;
    case 'FunctionExpression':
    case 'ClassExpression':
      return inner.id === null || inner.id === undefined;
    default:
      return false;
  }
}
