// The workspace variables a cell declares, found before anything is changed: references need to know them all.
import type { Variable, VariableKind } from './context.ts';
import { addVarNames } from './scopes.ts';
import { endOf, startOf } from '../syntax.ts';
import type { Node, Program } from '../syntax.ts';

/** Told of each name as it is found, with the offset it stands at, so that the caller can refuse it. */
export type NameCheck = (name: string, offset: number) => void;

export function collectVariables(program: Program, check: NameCheck): Map<string, Variable> {
  const variables = new Map<string, Variable>();
  const add = (variable: Variable, offset: number): void => {
    check(variable.name, offset);
    variables.set(variable.name, variable);
  };
  for (const statement of program.body) {
    collectFrom(declarationIn(statement), add);
    const names = new Set<string>();
    addVarNames(declarationIn(statement), names);
    for (const name of names) {
      if (!variables.has(name)) add({ name, kind: 'var', readyFrom: 0 }, startOf(statement));
    }
  }
  return variables;
}

/** The declaration behind an `export`, or the statement itself. */
export function declarationIn(statement: Node): Node {
  if (statement.type === 'ExportNamedDeclaration' && statement.declaration) return statement.declaration;
  if (statement.type === 'ExportDefaultDeclaration') return statement.declaration;
  return statement;
}

function collectFrom(node: Node, add: (variable: Variable, offset: number) => void): void {
  switch (node.type) {
    case 'VariableDeclaration': {
      if (node.declare || (node.kind !== 'let' && node.kind !== 'const')) break;
      for (const { id, init } of node.declarations) {
        const initializer = init ? ([startOf(init), endOf(init)] as const) : undefined;
        addPattern(id, endOf(id), node.kind, initializer, add);
      }
      break;
    }
    case 'FunctionDeclaration':
      if (node.id) add({ name: node.id.name, kind: 'function', readyFrom: 0 }, startOf(node.id));
      break;
    case 'ClassDeclaration':
      if (node.id && !node.declare) {
        add({ name: node.id.name, kind: 'class', readyFrom: endOf(node) }, startOf(node.id));
      }
      break;
    case 'TSEnumDeclaration':
      if (!node.declare) add({ name: node.id.name, kind: 'enum', readyFrom: startOf(node) }, startOf(node.id));
      break;
    case 'ImportDeclaration':
      if (node.importKind === 'type') break;
      for (const specifier of node.specifiers) {
        if (specifier.type === 'ImportSpecifier' && specifier.importKind === 'type') continue;
        add({ name: specifier.local.name, kind: 'import', readyFrom: 0 }, startOf(specifier.local));
      }
      break;
    default:
  }
}

/** `readyFrom` is the end of the element that binds the name, its default included. */
function addPattern(
  pattern: Node | null | undefined,
  readyFrom: number,
  kind: VariableKind,
  initializer: readonly [number, number] | undefined,
  add: (variable: Variable, offset: number) => void,
): void {
  switch (pattern?.type) {
    case 'Identifier': {
      const variable = { name: pattern.name, kind, readyFrom };
      add(initializer === undefined ? variable : { ...variable, initializer }, startOf(pattern));
      break;
    }
    case 'ObjectPattern':
      for (const property of pattern.properties) {
        const value = property.type === 'ObjectProperty' ? property.value : property.argument;
        addPattern(value, endOf(value), kind, initializer, add);
      }
      break;
    case 'ArrayPattern':
      for (const element of pattern.elements) {
        if (element) addPattern(element, endOf(element), kind, initializer, add);
      }
      break;
    case 'AssignmentPattern':
      addPattern(pattern.left, readyFrom, kind, initializer, add);
      break;
    case 'RestElement':
      addPattern(pattern.argument, readyFrom, kind, initializer, add);
      break;
    default:
  }
}
