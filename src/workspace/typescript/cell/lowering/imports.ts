// Imports become awaited calls of the module loader's function, ahead of everything else in the cell, as imports are.
import type { Context } from './context.ts';
import { CellImportError } from '../errors.ts';
import { startOf } from '../syntax.ts';
import type { Node } from '../syntax.ts';
import { importFunction } from './visit.ts';

type ImportNode = Extract<Node, { type: 'ImportDeclaration' }>;

export interface CellImport {
  readonly specifier: string;
  /** What is taken from the module: `imported` is an export's name, or `*` for all of it as one object. */
  readonly bindings: readonly { readonly imported: string; readonly local: string }[];
}

/** Undefined for an import that only brings types. */
export function lowerImport(context: Context, node: ImportNode, modules: ReadonlySet<string>): CellImport | undefined {
  context.dropStatement(node);
  if (node.importKind === 'type') return undefined;
  if (node.attributes?.[0]) context.fail(node.attributes[0], 'Import attributes are not supported in a step.');
  const bindings = node.specifiers.flatMap((specifier) => bindingOf(specifier));
  if (bindings.length === 0 && node.specifiers.length > 0) return undefined;
  const specifier = node.source.value;
  if (!modules.has(specifier)) context.fail(node.source, refusal(specifier, modules), CellImportError);
  context.edits.lead(callFor(specifier, bindings), startOf(node));
  return { specifier, bindings };
}

function bindingOf(specifier: ImportNode['specifiers'][number]): CellImport['bindings'] {
  const local = specifier.local.name;
  if (specifier.type === 'ImportNamespaceSpecifier') return [{ imported: '*', local }];
  if (specifier.type === 'ImportDefaultSpecifier') return [{ imported: 'default', local }];
  if (specifier.importKind === 'type') return [];
  const { imported } = specifier;
  return [{ imported: imported.type === 'Identifier' ? imported.name : imported.value, local }];
}

function callFor(specifier: string, bindings: CellImport['bindings']): string {
  const named = bindings.filter(({ imported }) => imported !== '*');
  const whole = bindings.find(({ imported }) => imported === '*');
  const names = JSON.stringify(named.map(({ imported }) => imported));
  const call = `${whole ? `this.${whole.local}=` : ''}await ${importFunction}(${JSON.stringify(specifier)},${names})`;
  if (named.length === 0) return `${call};`;
  const pattern = named.map(({ imported, local }) => `[${JSON.stringify(imported)}]:this.${local}`).join();
  return `({${pattern}}=${call});`;
}

function refusal(specifier: string, modules: ReadonlySet<string>): string {
  const known = [...modules].toSorted().slice(0, 20);
  const offer = known.length === 0 ? 'No modules are registered.' : `There are: ${known.join(', ')}.`;
  return `The module '${specifier}' cannot be imported: it is not registered. ${offer}`;
}
