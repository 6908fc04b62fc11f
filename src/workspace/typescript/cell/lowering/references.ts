// References to the variables a cell declares. Those live on the global object, where nothing is constant and nothing
// waits to be initialized, so what JavaScript would refuse at run time is put in place of the name.
import type { Context, Variable } from './context.ts';
import { endOf, startOf } from '../syntax.ts';
import type { Node } from '../syntax.ts';

type IdentifierNode = Extract<Node, { type: 'Identifier' }>;

/** A name that is read, called or otherwise used. */
export function visitReference(context: Context, node: IdentifierNode): void {
  const text = replacementFor(context, node, false);
  if (text !== undefined) put(context, node, text);
}

/** `{ name }` in an object: the key stays what it is. */
export function visitShorthand(context: Context, node: IdentifierNode, isTarget: boolean): void {
  const text = replacementFor(context, node, isTarget);
  if (text !== undefined) context.edits.replace(startOf(node), endOf(node), `${node.name}:${text}`);
}

/** Whatever stands left of an assignment: a name, a member, or a pattern of those. */
export function visitTarget(context: Context, node: Node | null | undefined): void {
  switch (node?.type) {
    case undefined:
      break;
    case 'Identifier': {
      const text = replacementFor(context, node, true);
      if (text !== undefined) put(context, node, text);
      break;
    }
    case 'ArrayPattern':
      for (const element of node.elements) visitTarget(context, element);
      break;
    case 'ObjectPattern':
      for (const property of node.properties) {
        if (property.type === 'ObjectProperty') visitTargetProperty(context, property);
        else visitTarget(context, property.argument);
      }
      break;
    case 'AssignmentPattern':
      visitTarget(context, node.left);
      context.visit(node.right);
      break;
    case 'RestElement':
      visitTarget(context, node.argument);
      break;
    case 'ParenthesizedExpression':
      visitTarget(context, node.expression);
      break;
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
    case 'TSNonNullExpression':
      visitTarget(context, node.expression);
      context.edits.blank(endOf(node.expression), endOf(node));
      break;
    default:
      context.visit(node);
  }
}

function visitTargetProperty(context: Context, property: Extract<Node, { type: 'ObjectProperty' }>): void {
  if (property.computed) context.visit(property.key);
  const { value } = property;
  if (!property.shorthand) {
    visitTarget(context, value);
    return;
  }
  const name = value.type === 'AssignmentPattern' ? value.left : value;
  if (name.type === 'Identifier') visitShorthand(context, name, true);
  if (value.type === 'AssignmentPattern') context.visit(value.right);
}

function put(context: Context, node: IdentifierNode, text: string): void {
  // A parenthesis at the start of a line would make a call of the line before; an operator of lowest precedence cannot.
  const lead = startOf(node) === context.statementStart ? '0,' : '';
  context.edits.replace(startOf(node), endOf(node), lead + text);
}

function replacementFor(context: Context, node: IdentifierNode, isTarget: boolean): string | undefined {
  const { name } = node;
  const scope = context.scopeOf(name);
  if (scope !== undefined) return scope.enumName === undefined ? undefined : `${scope.enumName}.${name}`;
  const variable = context.variables.get(name);
  if (variable === undefined) return undefined;
  if (isTooEarly(context, variable, startOf(node))) {
    // A class whose base is itself: the engine's own error for a name that is used too early, without a frame of its own.
    const early = `(class ${name} extends ${name}{})`;
    return isTarget ? accessor(name, `return ${early}`, early) : early;
  }
  if (!isTarget || (variable.kind !== 'const' && variable.kind !== 'import')) return undefined;
  const message = JSON.stringify(`Assignment to constant variable '${name}'.`);
  return accessor(name, `return ${name}`, `throw new TypeError(${message})`);
}

/** Only what can be told from the text: code that runs in its turn, before or inside the declaration. */
function isTooEarly(context: Context, { kind, readyFrom, initializer }: Variable, offset: number): boolean {
  if (context.functionDepth > 0 || kind === 'var' || kind === 'function' || kind === 'import') return false;
  return offset < readyFrom || (initializer !== undefined && offset >= initializer[0] && offset < initializer[1]);
}

/** Stands for a name wherever it can be assigned to, `x ??= 1` and `for (x of …)` included: what is assigned is evaluated first. */
function accessor(name: string, get: string, set: string): string {
  return `({get ${name}(){${get}},set ${name}(_){${set}}}).${name}`;
}
