// Joins what several places say about one member, the best first.
import type { FieldDeclaration, FunctionDeclaration, ParameterDeclaration } from './declaration.ts';
import { mergeDocs, type Doc } from './doc.ts';
import type { TypeNode } from './syntax/type-node.ts';
import { parseType } from './syntax/type-syntax.ts';

export function mergeFields(name: string, fields: readonly FieldDeclaration[]): FieldDeclaration {
  const type = fields.find((field) => field.type !== undefined)?.type;
  return {
    name,
    ...(type === undefined ? {} : { type }),
    ...(fields.some(({ optional }) => optional) ? { optional: true as const } : {}),
    ...(fields.some(({ readonly }) => readonly) ? { readonly: true as const } : {}),
    doc: mergeDocs(fields.map(({ doc }) => doc)),
  };
}

/** Parameters by place: running code knows how many there are, comments and files know their types. */
export function mergeFunctions(
  name: string,
  functions: readonly (FunctionDeclaration | undefined)[],
): FunctionDeclaration {
  const known = functions.filter((one) => one !== undefined);
  const doc = mergeDocs(known.map((one) => one.doc));
  const typed = known.find((one) => one.parameters.some(({ type }) => type !== undefined && !isOpen(type)));
  const shape = typed ?? known.find((one) => one.parameters.length > 0);
  const returns = known.find((one) => one.returns !== undefined && !isOpen(one.returns))?.returns;
  const said = doc.returns?.type === undefined ? undefined : parseType(doc.returns.type);
  const type = returns ?? said ?? known.find((one) => one.returns !== undefined)?.returns;
  return {
    kind: 'function',
    name,
    parameters: (shape?.parameters ?? []).map((parameter) => withDoc(parameter, doc)),
    ...(type === undefined ? {} : { returns: type }),
    doc,
  };
}

function isOpen(type: TypeNode): boolean {
  return JSON.stringify(type).includes('"unknown"');
}

function withDoc(parameter: ParameterDeclaration, doc: Doc): ParameterDeclaration {
  const said = doc.parameters.find(({ name }) => name === parameter.name);
  const type = parameter.type ?? (said?.type === undefined ? undefined : parseType(said.type));
  return {
    ...parameter,
    ...(type === undefined ? {} : { type }),
    ...(said?.optional === true ? { optional: true as const } : {}),
  };
}
