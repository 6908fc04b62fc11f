// Reads the declarations that TypeScript files export: names, types and doc comments, which running code no longer has.
import { readFileSync } from 'node:fs';
import { parse } from '@babel/parser';
import type { Node, Statement } from '@babel/types';
import { StatekError } from '../../../base/error.ts';
import { classFrom, docBefore, functionFrom, interfaceFrom } from './class-syntax.ts';
import type { Declaration, Declarations } from '../declaration.ts';
import { nameOf, typeFrom } from './type-syntax.ts';

/** A file of declarations, or a source they are read from, cannot be read. */
export class DeclarationsError extends StatekError {
  readonly code = 'DECLARATIONS';
}

export interface SourceText {
  readonly path: string;
  readonly text: string;
}

/** What files export: classes, interfaces, functions and types, in the order in which they stand. */
export function extractDeclarations(files: readonly SourceText[]): Declarations {
  return { version: 1, declarations: files.flatMap(declarationsIn) };
}

/** Reads the file at a path, which `statek docs` has written. */
export function readDeclarations(path: string): Declarations {
  try {
    return parseDeclarations(readFileSync(path, 'utf8'), path);
  } catch (error) {
    if (error instanceof DeclarationsError) throw error;
    throw new DeclarationsError(`${path} cannot be read. Write it with statek docs --out.`, { path }, error);
  }
}

/** Reads a file that holds declarations as JSON. */
export function parseDeclarations(text: string, path: string): Declarations {
  try {
    const found = JSON.parse(text) as Partial<Declarations> | null;
    if (found?.version === 1 && Array.isArray(found.declarations)) return found as Declarations;
  } catch (error) {
    throw new DeclarationsError(`${path} is not JSON. Write it again with statek docs.`, { path }, error);
  }
  throw new DeclarationsError(`${path} holds no declarations of this version. Write it again with statek docs.`, {
    path,
  });
}

function declarationsIn({ path, text }: SourceText): Declaration[] {
  let body: readonly Statement[];
  try {
    const isTyped = /\.[mc]?tsx?$/.test(path);
    const isMarkup = path.endsWith('x');
    ({ body } = parse(text, {
      sourceType: 'module',
      plugins: [...(isTyped ? (['typescript'] as const) : []), ...(isMarkup ? (['jsx'] as const) : []), 'decorators'],
    }).program);
  } catch (error) {
    throw new DeclarationsError(`${path} cannot be read: ${(error as Error).message}.`, { path }, error);
  }
  const named = new Set(
    body.flatMap((statement) =>
      statement.type === 'ExportNamedDeclaration' && !statement.source
        ? statement.specifiers.flatMap((one) => (one.type === 'ExportSpecifier' ? (nameOf(one.local) ?? []) : []))
        : [],
    ),
  );
  const declarations = new Map<string, Declaration>();
  for (const statement of body) {
    const isExport = statement.type === 'ExportNamedDeclaration' || statement.type === 'ExportDefaultDeclaration';
    const inner = isExport ? statement.declaration : statement;
    if (!inner) continue;
    for (const declaration of declared(inner, statement, text)) {
      // Of overloads, the first says most.
      const isKnown = declarations.has(declaration.name);
      if ((isExport || named.has(declaration.name)) && !isKnown) declarations.set(declaration.name, declaration);
    }
  }
  return [...declarations.values()];
}

function declared(node: Node, outer: Node, source: string): Declaration[] {
  const doc = docBefore(outer, node);
  switch (node.type) {
    case 'FunctionDeclaration':
    case 'TSDeclareFunction':
      return node.id ? [functionFrom(node.id.name, node, source, doc)] : [];
    case 'ClassDeclaration':
      return node.id ? [classFrom(node.id.name, node, source, doc)] : [];
    case 'TSInterfaceDeclaration': {
      const [base] = node.extends ?? [];
      const { expression } = (base ?? {}) as { expression?: Node };
      const name = expression?.type === 'Identifier' ? expression.name : undefined;
      return [interfaceFrom(node.id.name, node.body, name, source, doc)];
    }
    case 'TSTypeAliasDeclaration':
      return [
        {
          kind: 'type',
          name: node.id.name,
          type: typeFrom(node.typeAnnotation, source),
          ...(doc === undefined ? {} : { doc }),
        },
      ];
    case 'VariableDeclaration':
      return node.declarations.flatMap(({ id, init }): Declaration[] => {
        if (id.type !== 'Identifier') return [];
        if (init?.type === 'ArrowFunctionExpression' || init?.type === 'FunctionExpression')
          return [functionFrom(id.name, init, source, doc)];
        return init?.type === 'ClassExpression' ? [classFrom(id.name, init, source, doc)] : [];
      });
    default:
      return [];
  }
}
