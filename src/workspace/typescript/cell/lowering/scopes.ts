// Which names a scope declares, so that a reference can be told from one to a workspace variable of the same name.
import type { Node } from '../syntax.ts';

/** Adds the names a pattern binds. */
export function addPatternNames(pattern: Node | null | undefined, names: Set<string>): void {
  if (pattern === null || pattern === undefined) return;
  switch (pattern.type) {
    case 'Identifier':
      names.add(pattern.name);
      break;
    case 'ObjectPattern':
      for (const property of pattern.properties) {
        addPatternNames(property.type === 'ObjectProperty' ? property.value : property.argument, names);
      }
      break;
    case 'ArrayPattern':
      for (const element of pattern.elements) addPatternNames(element, names);
      break;
    case 'AssignmentPattern':
      addPatternNames(pattern.left, names);
      break;
    case 'RestElement':
      addPatternNames(pattern.argument, names);
      break;
    case 'TSParameterProperty':
      addPatternNames(pattern.parameter, names);
      break;
    default:
  }
}

/** Adds the names the statements of one block bind in that block: not `var`, which belongs to the function. */
export function addBlockNames(statements: readonly Node[], names: Set<string>): void {
  for (const statement of statements) {
    switch (statement.type) {
      case 'VariableDeclaration':
        if (statement.kind === 'var') break;
        for (const { id } of statement.declarations) addPatternNames(id, names);
        break;
      case 'FunctionDeclaration':
      case 'ClassDeclaration':
      case 'TSEnumDeclaration':
        if (statement.id) names.add(statement.id.name);
        break;
      default:
    }
  }
}

/** Adds the names `var` declares in a statement and everything below it, down to the next function. */
export function addVarNames(statement: Node | null | undefined, names: Set<string>): void {
  if (statement === null || statement === undefined) return;
  switch (statement.type) {
    case 'VariableDeclaration':
      if (statement.kind !== 'var' || statement.declare) break;
      for (const { id } of statement.declarations) addPatternNames(id, names);
      break;
    case 'BlockStatement':
    case 'StaticBlock':
      for (const inner of statement.body) addVarNames(inner, names);
      break;
    case 'IfStatement':
      addVarNames(statement.consequent, names);
      addVarNames(statement.alternate, names);
      break;
    case 'ForStatement':
      addVarNames(statement.init, names);
      addVarNames(statement.body, names);
      break;
    case 'ForInStatement':
    case 'ForOfStatement':
      addVarNames(statement.left, names);
      addVarNames(statement.body, names);
      break;
    case 'WhileStatement':
    case 'DoWhileStatement':
    case 'LabeledStatement':
      addVarNames(statement.body, names);
      break;
    case 'TryStatement':
      addVarNames(statement.block, names);
      addVarNames(statement.handler?.body, names);
      addVarNames(statement.finalizer, names);
      break;
    case 'SwitchStatement':
      for (const { consequent } of statement.cases) for (const inner of consequent) addVarNames(inner, names);
      break;
    default:
  }
}
