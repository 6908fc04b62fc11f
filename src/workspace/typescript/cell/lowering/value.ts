// What a statement contributes to a cell's value. The engine reports the value of the last expression statement that
// ran; authors mean the last statement of the cell, and a declaration, though compiled to an assignment, has no value.
import type { Node } from '../syntax.ts';
import { declarationIn } from './variables.ts';

/**
 * - `expression`: its own value.
 * - `undefined`: a declaration.
 * - `perhaps`: a loop, condition or block, whose value the engine finds; if it has none, nothing further up may shine through.
 * - `none`: types, functions and imports, which count as if they were not there.
 */
export type ValueOf = 'expression' | 'undefined' | 'perhaps' | 'none';

export function valueOf(statement: Node): ValueOf {
  const node = declarationIn(statement);
  switch (node.type) {
    case 'EmptyStatement':
    case 'ExportAllDeclaration':
    case 'ExportNamedDeclaration':
    case 'ImportDeclaration':
    case 'TSDeclareFunction':
    case 'TSInterfaceDeclaration':
    case 'TSModuleDeclaration':
    case 'TSTypeAliasDeclaration':
      return 'none';
    case 'FunctionDeclaration':
      return node.id ? 'none' : 'expression';
    case 'VariableDeclaration':
    case 'TSEnumDeclaration':
      return node.declare ? 'none' : 'undefined';
    case 'ClassDeclaration':
      if (node.declare) return 'none';
      return node.id ? 'undefined' : 'expression';
    case 'ExpressionStatement':
      return 'expression';
    default:
      return statement.type === 'ExportDefaultDeclaration' ? 'expression' : 'perhaps';
  }
}
