// Steps of a workspace as modules for the type checker: each imports what it uses of those before it, and exports what
// it declares. The author's code stands first, so that lines and columns are the author's.
import { parse } from '@babel/parser';
import type { Node } from '@babel/types';

export interface Cell {
  readonly number: number;
  readonly source: string;
}

/** The files of the cells by name, the last one being the one to check; undefined if that one cannot be parsed. */
export function cellFiles(cells: readonly Cell[]): ReadonlyMap<string, string> | undefined {
  const files = new Map<string, string>();
  /** Where each name was declared last. */
  const declared = new Map<string, string>();
  for (const [index, { number, source }] of cells.entries()) {
    const names = declaredIn(source);
    if (names === undefined) {
      if (index === cells.length - 1) return undefined;
      continue;
    }
    const words = new Set(source.match(/[\p{ID_Start}$_][\p{ID_Continue}$]*/gu));
    const imports = [...words].flatMap((word) => {
      const from = declared.get(word);
      return from === undefined || names.has(word) ? [] : [`import { ${word} } from './${from}.ts';`];
    });
    const name = `cell-${number}`;
    files.set(`${name}.ts`, `${source}\n;${imports.join('')}export { ${[...names].join(', ')} };\n`);
    for (const one of names) declared.set(one, name);
  }
  return files;
}

/** Names that the top level of a step declares; undefined if it cannot be parsed, which the engine tells better. */
function declaredIn(source: string): Set<string> | undefined {
  let body: readonly Node[];
  try {
    const { program } = parse(source, {
      sourceType: 'module',
      plugins: ['typescript'],
      allowAwaitOutsideFunction: true,
    });
    body = program.body;
  } catch {
    return undefined;
  }
  const names = new Set<string>();
  for (const node of body) {
    switch (node.type) {
      case 'VariableDeclaration':
        for (const { id } of node.declarations) bound(id, names);
        break;
      case 'FunctionDeclaration':
      case 'ClassDeclaration':
      case 'TSInterfaceDeclaration':
      case 'TSTypeAliasDeclaration':
      case 'TSEnumDeclaration':
        bound(node.id, names);
        break;
      default:
    }
  }
  return names;
}

function bound(pattern: Node | null | undefined, names: Set<string>): void {
  switch (pattern?.type) {
    case 'Identifier':
      names.add(pattern.name);
      return;
    case 'ObjectPattern':
      for (const property of pattern.properties)
        bound(property.type === 'ObjectProperty' ? property.value : property.argument, names);
      return;
    case 'ArrayPattern':
      for (const element of pattern.elements) bound(element, names);
      return;
    case 'AssignmentPattern':
      bound(pattern.left, names);
      return;
    case 'RestElement':
      bound(pattern.argument, names);
      return;
    default:
  }
}
