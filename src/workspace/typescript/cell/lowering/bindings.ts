// Names being declared: the patterns of parameters and declarations. At the top level each name becomes a property of
// the global object, which any later cell can assign or declare again.
import type { Context } from './context.ts';
import { endOf, startOf, takesName } from '../syntax.ts';
import type { Node } from '../syntax.ts';
import { endOfIdentifier, skipTrivia } from '../trivia.ts';

/** `owner` goes before each name: empty for a local, `this.` for a workspace variable (`this` is the global object there). */
export function visitBinding(context: Context, node: Node | null | undefined, owner: '' | 'this.'): void {
  const { edits } = context;
  switch (node?.type) {
    case 'Identifier':
      if (owner !== '') edits.insert(startOf(node), owner);
      dropAnnotation(context, node);
      break;
    case 'ObjectPattern':
      for (const property of node.properties) {
        if (property.type !== 'ObjectProperty') {
          visitBinding(context, property, owner);
          continue;
        }
        if (property.computed) context.visit(property.key);
        else if (property.shorthand && owner !== '')
          edits.insert(startOf(property), `${context.textOf(property.key)}:`);
        visitBinding(context, property.value, owner);
      }
      dropPatternAnnotation(context, node);
      break;
    case 'ArrayPattern':
      for (const element of node.elements) visitBinding(context, element, owner);
      dropPatternAnnotation(context, node);
      break;
    case 'AssignmentPattern':
      visitBinding(context, node.left, owner);
      visitNamed(context, node.right, owner !== '' && node.left.type === 'Identifier' ? node.left.name : undefined);
      break;
    case 'RestElement':
      visitBinding(context, node.argument, owner);
      context.blankNode(node.typeAnnotation);
      break;
    default:
      if (node) context.fail(node, `${node.type} cannot be declared here.`);
  }
}

/** Visits a value; if it is a function or class without a name, it gets the one it would have had from `const name =`. */
export function visitNamed(context: Context, value: Node, name: string | undefined): void {
  if (name === undefined || !takesName(value)) {
    context.visit(value);
    return;
  }
  context.edits.insert(startOf(value), `({${name}:`);
  context.visit(value);
  context.edits.insert(endOf(value), `}).${name}`, startOf(value));
}

/** `name?: type` or `name!: type` becomes `name`. */
function dropAnnotation(context: Context, node: Extract<Node, { type: 'Identifier' }>): void {
  if (endOf(node) - startOf(node) === node.name.length) return;
  context.edits.blank(endOfIdentifier(context.text, startOf(node)), endOf(node));
}

function dropPatternAnnotation(
  context: Context,
  node: Extract<Node, { type: 'ObjectPattern' | 'ArrayPattern' }>,
): void {
  const { typeAnnotation } = node;
  const end = typeAnnotation ? startOf(typeAnnotation) : endOf(node);
  const mark = context.text.lastIndexOf('?', end);
  if ('optional' in node && node.optional === true) context.edits.blank(mark, mark + 1);
  context.blankNode(typeAnnotation);
}

/** The parameters of a function; `this` among them only carries a type. */
export function visitParameters(context: Context, parameters: readonly Node[]): void {
  for (const parameter of parameters) {
    if (parameter.type === 'Identifier' && parameter.name === 'this') {
      const next = skipTrivia(context.text, endOf(parameter));
      context.edits.blank(startOf(parameter), context.text[next] === ',' ? next + 1 : endOf(parameter));
    } else if (parameter.type === 'TSParameterProperty') {
      context.edits.blank(startOf(parameter), startOf(parameter.parameter));
      visitBinding(context, parameter.parameter, '');
    } else visitBinding(context, parameter, '');
  }
}
