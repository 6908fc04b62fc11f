// Functions of every kind: their scope, and their types taken away without moving a line.
import { visitParameters } from './bindings.ts';
import type { Context } from './context.ts';
import { addBlockNames, addPatternNames, addVarNames } from './scopes.ts';
import { endOf, startOf } from '../syntax.ts';
import type { Node } from '../syntax.ts';
import { hasLineBreak, skipTrivia } from '../trivia.ts';

export type FunctionNode = Extract<
  Node,
  {
    type:
      | 'FunctionDeclaration'
      | 'FunctionExpression'
      | 'ArrowFunctionExpression'
      | 'ObjectMethod'
      | 'ClassMethod'
      | 'ClassPrivateMethod';
  }
>;

export function visitFunction(context: Context, node: FunctionNode): void {
  const names = new Set<string>();
  if (node.type === 'FunctionExpression' && node.id) names.add(node.id.name);
  for (const parameter of node.params) addPatternNames(parameter, names);
  if (node.body.type === 'BlockStatement') {
    addVarNames(node.body, names);
    addBlockNames(node.body.body, names);
  }
  if (node.type === 'ArrowFunctionExpression') dropArrowTypes(context, node);
  else {
    context.blankNode(node.typeParameters);
    context.blankNode(node.returnType);
  }
  context.inScope(names, () =>
    context.inFunction(() => {
      visitParameters(context, node.params);
      if (node.body.type === 'BlockStatement') context.visitAll(node.body.body);
      else context.visit(node.body);
    }),
  );
}

/** No line break may come before `=>`, nor after `async` or `return`: a parenthesis moves over the types instead. */
function dropArrowTypes(context: Context, node: Extract<Node, { type: 'ArrowFunctionExpression' }>): void {
  const { edits, text } = context;
  const { typeParameters, returnType } = node;
  if (typeParameters) {
    const start = startOf(typeParameters);
    const end = endOf(typeParameters);
    if (hasLineBreak(text, start, end)) {
      const open = skipTrivia(text, end);
      edits.blank(start, end, '(');
      edits.blank(open, open + 1);
    } else edits.blank(start, end);
  }
  if (!returnType) return;
  const close = closingParenthesis(text, node);
  const end = endOf(returnType);
  if (hasLineBreak(text, close, end)) edits.blank(close, end, '', ')');
  else edits.blank(startOf(returnType), end);
}

function closingParenthesis(text: string, node: Extract<Node, { type: 'ArrowFunctionExpression' }>): number {
  const last = node.params.at(-1);
  if (last !== undefined) {
    const next = skipTrivia(text, endOf(last));
    return text[next] === ',' ? skipTrivia(text, next + 1) : next;
  }
  const { typeParameters } = node;
  const before = typeParameters ? endOf(typeParameters) : startOf(node) + (node.async ? 'async'.length : 0);
  return skipTrivia(text, skipTrivia(text, before) + 1);
}
