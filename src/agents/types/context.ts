// What an agent's code can use, as declarations for the type checker. They are part of the definition of a job, so that
// every process checks its code in the same way.
import { typescriptText } from '../docs/print/print-typescript.ts';
import { declarationOf, declareContext } from '../docs/listing.ts';
import { schemaType } from '../docs/print/schema-type.ts';
import { named, typescriptType } from '../docs/syntax/type-node.ts';
import { declarationOfTool, type ListingContext } from '../listing.ts';
import type { KnownTool } from '../tools/toolbox.ts';
import { builtins } from './builtins.ts';

/** `builtins: false`: only what the application gives. */
export function contextDeclarations(
  { tools, vars, knowledge, role }: Omit<ListingContext, 'language'>,
  options: { readonly builtins?: boolean } = {},
): string {
  const taken = new Set([...tools.map(({ name }) => name), ...Object.keys(vars)]);
  const known = Object.entries(vars).filter(
    ([name, value]) => isName(name) && declarationOf(value, { knowledge, role }, name) !== undefined,
  );
  const data = Object.keys(vars).filter((name) => isName(name) && !known.some(([one]) => one === name));
  const text = [
    ...(options.builtins === false ? [] : builtins)
      .filter(([name]) => !taken.has(name))
      .map(([, declaration]) => declaration),
    ...tools.filter(({ name }) => !Object.hasOwn(vars, name)).map((one) => toolText(one, knowledge)),
    declareContext(Object.fromEntries(known), { knowledge, role, language: 'typescript', detail: 'none' }),
    // Data is what code makes of it.
    ...data.map((name) => `declare let ${name}: any;`),
  ].join('\n');
  return text.replaceAll(/\bunknown\b/g, 'any').replaceAll(/^declare const (?!console)/gm, 'declare let ');
}

/** A tool takes its fields one by one, or one object for all. */
function toolText(tool: KnownTool, knowledge: ListingContext['knowledge']): string {
  const declared = declarationOfTool(tool, knowledge);
  const oneByOne = typescriptText({ ...declared, returns: declared.returns ?? named('any') }, 'none');
  if (tool.positional || tool.input === undefined) return oneByOne;
  const returns = declared.returns === undefined ? 'any' : typescriptType(declared.returns);
  return `${oneByOne}\ndeclare function ${tool.name}(input: ${typescriptType(schemaType(tool.input.json))}): ${returns};`;
}

function isName(name: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(name);
}
