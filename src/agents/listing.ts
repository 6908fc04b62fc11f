// What the placeholders of a prompt stand for: the tools of an agent and the variables of a job, in short or in detail.
import type { FunctionDeclaration } from './docs/declaration.ts';
import type { Knowledge } from './docs/knowledge.ts';
import type { Detail } from './docs/print/language-printer.ts';
import { briefTools, declareContext, listTools } from './docs/listing.ts';
import { snakeCase } from './docs/print/python-type.ts';
import { toolDeclaration } from './docs/tool-declaration.ts';
import type { Language } from './prompts/metadata.ts';
import type { listingNames } from './prompts/prompt.ts';
import type { KnownTool } from './tools/toolbox.ts';

export interface ListingContext {
  readonly tools: readonly KnownTool[];
  readonly language: Language;
  readonly role: string;
  readonly knowledge: Knowledge;
  /** The variables of the job. */
  readonly vars: Readonly<Record<string, unknown>>;
  /** Of the types of variables; `usual` unless set. */
  readonly detail?: Detail | undefined;
}

export function listing(name: (typeof listingNames)[number], context: ListingContext): string {
  const { tools, language, role, knowledge, vars, detail } = context;
  const declarations = (): FunctionDeclaration[] => tools.map((one) => declarationOfTool(one, knowledge));
  switch (name) {
    case 'shared_var_names':
      return Object.keys(vars)
        .map((one) => (language === 'python' ? snakeCase(one) : one))
        .join(', ');
    case 'types':
      return declareContext(vars, { knowledge, language, role, detail });
    case 'brief_tools':
      return briefTools(declarations(), language);
    case 'tools':
      return listTools(declarations(), language, 'usual');
    case 'detailed_tools':
      return listTools(declarations(), language, 'full');
  }
}

export function declarationOfTool(known: KnownTool, knowledge: Knowledge): FunctionDeclaration {
  const { name, description, input, output, call, positional, source } = known;
  if (positional && typeof source === 'function')
    return knowledge.ofFunction(source as (...parameters: never[]) => unknown, name);
  return toolDeclaration({
    name,
    description,
    // With the marks: code is given dates and objects, where a provider's call has texts.
    input: input?.marked,
    output: output?.marked,
    async: call.effect === true,
  });
}
