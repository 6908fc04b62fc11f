// A tool, as code calls it: its required fields in their order, and the rest in a last object.
import type { FunctionDeclaration } from './declaration.ts';
import { parseDocComment } from './syntax/doc-comment.ts';
import { mergeDocs, noDoc } from './doc.ts';
import { schemaMembers, schemaType, type JsonSchema } from './print/schema-type.ts';
import { named } from './syntax/type-node.ts';

export interface ToolSchema {
  readonly name: string;
  /** As a doc comment says it. */
  readonly description?: string | undefined;
  /** Of the object it takes. */
  readonly input?: JsonSchema | undefined;
  readonly output?: JsonSchema | undefined;
  /** Code waits for its result. */
  readonly async?: boolean | undefined;
}

export function toolDeclaration({ name, description, input = {}, output, async }: ToolSchema): FunctionDeclaration {
  const members = schemaMembers(input);
  const required = members.filter((member) => member.optional !== true);
  const rest = members.filter((member) => member.optional === true);
  const result = output === undefined ? undefined : schemaType(output);
  const returns = async === true ? named('Promise', result ?? named('unknown')) : result;
  const said = parseDocComment(description ?? '');
  const inSchema = {
    ...noDoc,
    parameters: members.flatMap(({ name: member, text }) => (text === undefined ? [] : [{ name: member, text }])),
  };
  const about = typeof output === 'object' ? output['description'] : undefined;
  return {
    kind: 'function',
    name,
    parameters: [
      ...required.map(({ name: member, type }) => ({ name: member, type })),
      ...(rest.length === 0
        ? []
        : [{ name: 'options', type: { kind: 'object' as const, members: rest }, optional: true as const }]),
    ],
    ...(returns === undefined ? {} : { returns }),
    doc: mergeDocs([typeof about === 'string' ? { ...inSchema, returns: { text: about } } : inSchema, said]),
  };
}
