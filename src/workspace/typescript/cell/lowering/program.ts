// The top level of a cell: declarations become workspace variables, exports lose their keyword, and the cell's value is
// that of its last statement (./value.ts).
import { visitBinding, visitNamed } from './bindings.ts';
import { visitClass } from './classes.ts';
import type { Context } from './context.ts';
import { visitEnum } from './enums.ts';
import { lowerImport } from './imports.ts';
import type { CellImport } from './imports.ts';
import { inheritedNames } from '../names.ts';
import { endOf, startOf, takesName } from '../syntax.ts';
import type { Node, Program } from '../syntax.ts';
import { valueOf } from './value.ts';
import { endStatement } from './visit.ts';

export function lowerProgram(context: Context, program: Program, modules: ReadonlySet<string>): CellImport[] {
  const imports: CellImport[] = [];
  const enums = new Set<string>();
  const inherited = [...context.variables.keys()].filter((name) => inheritedNames.has(name));
  if (inherited.length > 0) context.edits.lead(`var ${inherited.join()};`, 0);
  const last = program.body.findLast((statement) => valueOf(statement) !== 'none');
  for (const statement of program.body) {
    if (statement.type === 'ImportDeclaration') {
      const found = lowerImport(context, statement, modules);
      if (found !== undefined) imports.push(found);
      continue;
    }
    if (statement === last && valueOf(statement) === 'perhaps') context.edits.insert(startOf(statement), ';void 0;');
    lowerStatement(context, statement, enums);
    if (statement === last && valueOf(statement) === 'undefined') context.edits.insert(endOf(statement), ';void 0;');
  }
  if (last === undefined && program.directives.length === 0) context.edits.lead('void 0;', 0);
  return imports;
}

function lowerStatement(context: Context, statement: Node, enums: Set<string>): void {
  switch (statement.type) {
    case 'ExportNamedDeclaration':
      lowerExport(context, statement, enums);
      break;
    case 'ExportDefaultDeclaration':
      lowerDefault(context, statement, enums);
      break;
    case 'ExportAllDeclaration':
      if (statement.exportKind === 'type') context.dropStatement(statement);
      else context.fail(statement, 'A step cannot export from another module. Import what you need instead.');
      break;
    case 'VariableDeclaration':
      lowerVariables(context, statement);
      break;
    case 'ClassDeclaration':
      if (statement.declare) context.dropStatement(statement);
      else {
        context.edits.insert(startOf(statement), `this.${statement.id?.name ?? 'default'}=`);
        visitClass(context, statement);
        context.edits.insert(endOf(statement), ';');
      }
      break;
    case 'TSEnumDeclaration': {
      if (statement.declare) {
        context.dropStatement(statement);
        break;
      }
      const { name } = statement.id;
      visitEnum(context, statement, `this.${name}`, enums.has(name));
      enums.add(name);
      break;
    }
    default:
      context.visit(statement);
  }
}

function lowerExport(
  context: Context,
  statement: Extract<Node, { type: 'ExportNamedDeclaration' }>,
  enums: Set<string>,
): void {
  const { declaration } = statement;
  if (declaration) {
    context.edits.blank(startOf(statement), startOf(declaration), ';');
    lowerStatement(context, declaration, enums);
    return;
  }
  if (statement.source && statement.exportKind !== 'type') {
    context.fail(statement, 'A step cannot export from another module. Import what you need instead.');
  }
  context.dropStatement(statement);
}

function lowerDefault(
  context: Context,
  statement: Extract<Node, { type: 'ExportDefaultDeclaration' }>,
  enums: Set<string>,
): void {
  const { edits } = context;
  const { declaration } = statement;
  const start = startOf(declaration);
  edits.blank(startOf(statement), start, ';');
  switch (declaration.type) {
    case 'TSDeclareFunction':
    case 'TSInterfaceDeclaration':
      context.dropStatement(declaration);
      return;
    case 'ClassDeclaration':
    case 'FunctionDeclaration':
      if (declaration.id) {
        lowerStatement(context, declaration, enums);
        return;
      }
      edits.insert(start, '({default:');
      if (declaration.type === 'ClassDeclaration') visitClass(context, declaration);
      else context.visit(declaration);
      edits.insert(endOf(declaration), '}).default;');
      return;
    default: {
      const isNamed = takesName(declaration);
      edits.insert(start, isNamed ? '({default:' : '(');
      context.visit(declaration);
      edits.insert(endOf(declaration), isNamed ? '}).default;' : ');');
    }
  }
}

function lowerVariables(context: Context, node: Extract<Node, { type: 'VariableDeclaration' }>): void {
  const { edits, text } = context;
  if (node.declare || node.kind === 'var') {
    context.visit(node);
    return;
  }
  if (node.kind !== 'let' && node.kind !== 'const') {
    context.fail(node, `'${node.kind}' at the top level would dispose of a variable that stays. Put it into a block.`);
  }
  edits.blank(startOf(node), startOf(node) + node.kind.length, ';');
  for (const { id, init } of node.declarations) {
    const isObject = id.type === 'ObjectPattern';
    if (isObject) edits.insert(startOf(id), '(');
    visitBinding(context, id, 'this.');
    if (init) visitNamed(context, init, id.type === 'Identifier' ? id.name : undefined);
    else edits.insert(endOf(id), '=void 0');
    if (isObject) edits.insert(init ? endOf(init) : endOf(id), ')');
  }
  if (text[endOf(node) - 1] === ';') endStatement(context, node);
  else edits.insert(endOf(node), ';');
}
