// Reads built declaration files and resolves names through chains of imports and exports.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Visitor } from 'oxc-parser';
import type { Node, Program } from 'oxc-parser';
import { parse } from '../support/source.ts';

/** Where a name is defined: in a file of the build, or in another package. */
export type Origin =
  | { readonly kind: 'declared'; readonly file: DeclarationFile; readonly name: string }
  | { readonly kind: 'imported'; readonly specifier: string; readonly name: string };

interface Link {
  readonly specifier: string;
  readonly name: string;
}

export class DeclarationFile {
  readonly path: string;
  /** The statements that declare each top-level name; a function with overloads has several. */
  readonly statements: ReadonlyMap<string, readonly Node[]>;
  /** Exported name to local name, or to a name in another module. */
  readonly exports: ReadonlyMap<string, string | Link>;
  /** Type-only exports. */
  readonly typeOnly: ReadonlySet<string>;
  readonly #imports = new Map<string, Link>();
  readonly #text: string;
  readonly #read: (path: string) => DeclarationFile;

  constructor(path: string, text: string, read: (path: string) => DeclarationFile) {
    this.path = path;
    this.#text = text;
    this.#read = read;
    const statements = new Map<string, Node[]>();
    const exports = new Map<string, string | Link>();
    const typeOnly = new Set<string>();
    const program = parse({ path, text });
    for (const { node, exported } of topLevel(program)) {
      for (const name of declaredNames(node)) {
        statements.set(name, [...(statements.get(name) ?? []), node]);
        if (exported) exports.set(name, name);
      }
    }
    for (const node of program.body) {
      if (node.type === 'ImportDeclaration') {
        for (const specifier of node.specifiers) {
          const name = specifier.type === 'ImportSpecifier' ? nameOf(specifier.imported) : '*';
          this.#imports.set(specifier.local.name, {
            specifier: node.source.value,
            name: specifier.type === 'ImportDefaultSpecifier' ? 'default' : name,
          });
        }
      } else if (node.type === 'ExportNamedDeclaration') {
        for (const { exported, local, exportKind } of node.specifiers) {
          const name = nameOf(local);
          if (node.exportKind === 'type' || exportKind === 'type') typeOnly.add(nameOf(exported));
          exports.set(nameOf(exported), node.source === null ? name : { specifier: node.source.value, name });
        }
      } else if (node.type === 'ExportAllDeclaration') {
        throw new Error(`${path}: "export *" hides the exported names; list them explicitly`);
      }
    }
    this.statements = statements;
    this.exports = exports;
    this.typeOnly = typeOnly;
  }

  originOfExport(name: string): Origin {
    const target = this.exports.get(name);
    if (target === undefined) throw new Error(`${this.path} exports no ${name}`);
    return typeof target === 'string' ? this.originOf(target) : this.#follow(target);
  }

  originOf(local: string): Origin {
    const link = this.#imports.get(local);
    return link === undefined ? { kind: 'declared', file: this, name: local } : this.#follow(link);
  }

  /** Names in the declaration that refer to top-level declarations or imports of this file. */
  referencesIn(name: string): Set<string> {
    const found = new Set<string>();
    const add = (node: Node): void => {
      if (node.type === 'TSQualifiedName') add(node.left);
      else if (node.type === 'MemberExpression') add(node.object);
      else if (node.type === 'Identifier' && (this.statements.has(node.name) || this.#imports.has(node.name))) {
        found.add(node.name);
      }
    };
    const visitor = new Visitor({
      TSTypeReference: (node) => add(node.typeName),
      TSTypeQuery: (node) => add(node.exprName),
      TSInterfaceHeritage: (node) => add(node.expression),
      TSClassImplements: (node) => add(node.expression),
      ClassDeclaration: (node) => node.superClass !== null && add(node.superClass),
      PropertyDefinition: (node) => node.computed && add(node.key),
      TSPropertySignature: (node) => node.computed && add(node.key),
      TSMethodSignature: (node) => node.computed && add(node.key),
      TSImportType: (node) => {
        throw new Error(
          `${this.path}: ${name} has a type that is written import(${JSON.stringify(node.source.value)}); name it`,
        );
      },
    });
    for (const node of this.statements.get(name) ?? []) {
      // The visitor takes whole programs; a statement is wrapped in one.
      visitor.visit({ type: 'Program', body: [node] } as unknown as Program);
    }
    found.delete(name);
    return found;
  }

  /** The doc comment right before the first statement that declares the name, without its stars; undefined if there is none. */
  commentOf(name: string): string | undefined {
    const [node] = this.statements.get(name) ?? [];
    if (node === undefined) return undefined;
    const before = this.#text.slice(0, node.start);
    const found =
      /(?:^|\n)[ \t]*\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*(?:\/\/ eslint-[^\n]*\n\s*)*(?:export |declare |abstract )*$/.exec(
        before,
      );
    return found?.[1]?.replaceAll(/^[ \t]*\*? ?/gm, '').trim();
  }

  /** The declaration as it is written, without comments, `export`, `declare` and private members. */
  print(name: string): string {
    return (this.statements.get(name) ?? [])
      .map((node) =>
        this.#text
          .slice(node.start, node.end)
          .replaceAll(/\/\*[\s\S]*?\*\//g, '')
          .replaceAll(/^[ \t]*(#private;|private .*;)?[ \t]*\n/gm, '')
          .replace(/^declare /, '')
          .trim(),
      )
      .join('\n');
  }

  #follow({ specifier, name }: Link): Origin {
    if (!specifier.startsWith('.') || name === '*') return { kind: 'imported', specifier, name };
    const path = join(dirname(this.path), specifier).replace(/\.([cm]?)js$/, '.d.$1ts');
    return this.#read(path).originOfExport(name);
  }
}

/** Reads each file once, however often it is named. */
export function declarationReader(readText = (path: string): string => readFileSync(path, 'utf8')) {
  const files = new Map<string, DeclarationFile>();
  return function read(path: string): DeclarationFile {
    const file = files.get(path) ?? new DeclarationFile(path, readText(path), read);
    files.set(path, file);
    return file;
  };
}

function* topLevel(program: Program): Iterable<{ node: Node; exported: boolean }> {
  for (const node of program.body) {
    const declaration = node.type === 'ExportNamedDeclaration' ? node.declaration : null;
    yield { node: declaration ?? node, exported: declaration !== null };
  }
}

function declaredNames(node: Node): string[] {
  switch (node.type) {
    case 'VariableDeclaration':
      return node.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []));
    case 'ClassDeclaration':
    case 'FunctionDeclaration':
    case 'TSDeclareFunction':
    case 'TSEnumDeclaration':
    case 'TSInterfaceDeclaration':
    case 'TSTypeAliasDeclaration':
      return node.id === null ? [] : [node.id.name];
    default:
      return [];
  }
}

function nameOf(node: { type: string; name?: string; value?: string }): string {
  return node.name ?? node.value ?? '';
}
