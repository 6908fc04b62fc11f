// One visit to every expression and statement of a cell: types are blanked, names looked at, the rest left as written.
import { visitBinding } from './bindings.ts';
import { visitClass } from './classes.ts';
import type { Context } from './context.ts';
import { visitEnum } from './enums.ts';
import { visitFunction } from './functions.ts';
import { visitReference, visitShorthand, visitTarget } from './references.ts';
import { addBlockNames, addPatternNames } from './scopes.ts';
import { endOf, partOf, plainParts, startOf } from '../syntax.ts';
import type { Node } from '../syntax.ts';
import { visitTypeWrapper, visitBinary } from './operators.ts';

/** The global function that imports are calls of; the module loader provides it. See docs/decisions/0030-cells.md. */
export const importFunction = '__statek_import';

export function visit(context: Context, node: Node): void {
  switch (node.type) {
    case 'Identifier':
      visitReference(context, node);
      break;
    case 'MemberExpression':
    case 'OptionalMemberExpression':
      context.visit(node.object);
      if (node.computed) context.visit(node.property);
      break;
    case 'CallExpression':
    case 'OptionalCallExpression':
    case 'NewExpression':
      context.visit(node.callee);
      context.blankNode(node.typeArguments);
      context.visitAll(node.arguments);
      break;
    case 'TaggedTemplateExpression':
      context.visit(node.tag);
      context.blankNode(node.typeArguments);
      context.visit(node.quasi);
      break;
    case 'ObjectProperty':
      if (node.computed) context.visit(node.key);
      if (node.shorthand && node.value.type === 'Identifier') visitShorthand(context, node.value, false);
      else context.visit(node.value);
      break;
    case 'AssignmentExpression':
      visitTarget(context, node.left);
      context.visit(node.right);
      break;
    case 'UpdateExpression':
      visitTarget(context, node.argument);
      break;
    case 'BinaryExpression':
    case 'LogicalExpression':
      visitBinary(context, node);
      break;
    case 'AwaitExpression':
      if (context.enumDepth === context.functionDepth) context.fail(node, "An enum member's value cannot be awaited.");
      context.visit(node.argument);
      break;
    case 'ImportExpression':
      if (node.options) context.fail(node.options, 'Import attributes are not supported in a step.');
      context.edits.replace(startOf(node), startOf(node) + 'import'.length, importFunction);
      context.visit(node.source);
      break;
    case 'RegExpLiteral':
      checkPattern(context, node);
      break;
    case 'MetaProperty':
      if (node.meta.name === 'import') context.fail(node, "'import.meta' does not exist in a step.");
      break;
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
    case 'TSNonNullExpression':
    case 'TSInstantiationExpression':
    case 'TSTypeAssertion':
      visitTypeWrapper(context, node);
      break;
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
    case 'FunctionDeclaration':
      visitFunction(context, node);
      break;
    case 'ObjectMethod':
      if (node.computed) context.visit(node.key);
      visitFunction(context, node);
      break;
    case 'ClassExpression':
      visitClass(context, node);
      break;
    default:
      visitStatement(context, node);
  }
}

/** The parser does not look into regular expressions. */
function checkPattern(context: Context, node: Extract<Node, { type: 'RegExpLiteral' }>): void {
  try {
    RegExp(node.pattern, node.flags);
  } catch (error) {
    context.fail(node, error instanceof Error ? `${error.message}.` : 'Invalid regular expression.');
  }
}

function visitStatement(context: Context, node: Node): void {
  switch (node.type) {
    case 'ExpressionStatement': {
      const outer = context.statementStart;
      context.statementStart = startOf(node);
      context.visit(node.expression);
      context.statementStart = outer;
      endStatement(context, node);
      break;
    }
    case 'ReturnStatement':
    case 'ThrowStatement':
      context.visit(node.argument);
      endStatement(context, node);
      break;
    case 'VariableDeclaration':
      visitLocals(context, node);
      if (!node.declare) endStatement(context, node);
      break;
    case 'ClassDeclaration':
      if (node.declare) context.dropStatement(node);
      else visitClass(context, node);
      break;
    case 'BlockStatement':
      context.inScope(namesOf(node.body), () => context.visitAll(node.body));
      break;
    case 'SwitchStatement':
      context.visit(node.discriminant);
      context.inScope(namesOf(node.cases.flatMap(({ consequent }) => consequent)), () => context.visitAll(node.cases));
      break;
    case 'CatchClause': {
      const names = new Set<string>();
      addPatternNames(node.param, names);
      context.inScope(names, () => {
        visitBinding(context, node.param, '');
        context.visit(node.body);
      });
      break;
    }
    case 'ForStatement':
      context.inScope(namesOf(node.init ? [node.init] : []), () => {
        if (node.init?.type === 'VariableDeclaration') visitLocals(context, node.init);
        else context.visit(node.init);
        context.visitAll([node.test, node.update, node.body]);
      });
      break;
    case 'ForInStatement':
    case 'ForOfStatement':
      context.inScope(namesOf([node.left]), () => {
        if (node.left.type === 'VariableDeclaration') visitLocals(context, node.left);
        else visitTarget(context, node.left);
        context.visitAll([node.right, node.body]);
      });
      break;
    default:
      visitTypeStatement(context, node);
  }
}

/** What TypeScript adds to statements, and everything that is made of plain parts. */
function visitTypeStatement(context: Context, node: Node): void {
  switch (node.type) {
    case 'TSInterfaceDeclaration':
    case 'TSTypeAliasDeclaration':
    case 'TSDeclareFunction':
      context.dropStatement(node);
      break;
    case 'TSEnumDeclaration': {
      const enums = context.innermostScope?.enums;
      const isMore = enums?.has(node.id.name) === true;
      enums?.add(node.id.name);
      if (node.declare) context.dropStatement(node);
      else visitEnum(context, node, isMore ? node.id.name : `let ${node.id.name}`, isMore);
      break;
    }
    case 'TSModuleDeclaration':
      if (node.declare) context.dropStatement(node);
      else context.fail(node, 'Namespaces are not supported in a step. Use an object or plain functions instead.');
      break;
    default: {
      const parts = plainParts[node.type];
      if (parts === undefined) context.fail(node, `This syntax is not supported in a step (${node.type}).`);
      for (const part of parts) {
        const value = partOf(node, part);
        if (Array.isArray(value)) context.visitAll(value);
        else context.visit(value);
      }
    }
  }
}

function visitLocals(context: Context, node: Extract<Node, { type: 'VariableDeclaration' }>): void {
  if (node.declare) {
    context.dropStatement(node);
    return;
  }
  for (const { id, init } of node.declarations) {
    visitBinding(context, id, '');
    context.visit(init);
  }
}

/** Where a type ended a statement that has no semicolon, the next line could now be taken for its continuation. */
export function endStatement(context: Context, node: Node): void {
  if (context.edits.endsBlank(endOf(node))) context.edits.insert(endOf(node), ';');
}

function namesOf(statements: readonly Node[]): Set<string> {
  const names = new Set<string>();
  addBlockNames(statements, names);
  return names;
}
