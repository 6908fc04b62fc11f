// Reads source files and the module specifiers in them, by parsing; shared by the build and the checks.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync, Visitor } from 'oxc-parser';
import type { Expression, Program } from 'oxc-parser';

export const root: string = fileURLToPath(new URL('../..', import.meta.url));

/** A file of the repository; `path` is relative to its root, with forward slashes. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** A module named in a file: by import, export from, import(), an import type, or `new URL('…', import.meta.url)`. */
export interface ModuleReference {
  readonly specifier: string;
  /** Where the quoted specifier stands in the text. */
  readonly start: number;
  readonly end: number;
  readonly line: number;
}

export function readSourceFiles(folder: string, endings: readonly string[] = ['.ts']): SourceFile[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && endings.some((ending) => entry.name.endsWith(ending)))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .map((path) => ({ path: relative(root, path).split(sep).join('/'), text: readFileSync(path, 'utf8') }));
}

export function parse({ path, text }: SourceFile): Program {
  const { program, errors } = parseSync(path, text, { lang: path.endsWith('.js') ? 'js' : 'ts' });
  const [first] = errors;
  if (first !== undefined) throw new Error(`${path}: ${first.message}`);
  return program;
}

export function moduleReferences(file: SourceFile): ModuleReference[] {
  const found: ModuleReference[] = [];
  const add = (node: Expression | null): void => {
    if (node?.type !== 'Literal' || typeof node.value !== 'string') return;
    const { value: specifier, start, end } = node;
    found.push({ specifier, start, end, line: lineAt(file.text, start) });
  };
  new Visitor({
    ImportDeclaration: (node) => add(node.source),
    ExportNamedDeclaration: (node) => add(node.source),
    ExportAllDeclaration: (node) => add(node.source),
    ImportExpression: (node) => add(node.source),
    TSImportType: (node) => add(node.source),
    NewExpression(node) {
      const [specifier, base] = node.arguments;
      if (node.callee.type !== 'Identifier' || node.callee.name !== 'URL') return;
      if (base?.type !== 'MemberExpression' || base.object.type !== 'MetaProperty') return;
      if (specifier?.type === 'Literal' && isModuleUrl(specifier.value)) add(specifier);
    },
  }).visit(parse(file));
  return found;
}

export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/** Such URLs also name folders and data; only those with a script's ending are modules. */
function isModuleUrl(value: unknown): boolean {
  return typeof value === 'string' && /^\.{1,2}\/.*\.[cm]?[jt]s$/.test(value);
}
