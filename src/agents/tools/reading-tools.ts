// Tools with which a model reads examples and documents that the application keeps for it.
import type { Difficulty } from '../../models/door.ts';
import { KnowledgeDocuments } from '../documents/knowledge-documents.ts';
import type { SearchDocumentsOptions, ShowDocumentOptions } from '../documents/shown-documents.ts';
import { layOutExample } from '../examples/layout.ts';
import type { Language } from '../prompts/metadata.ts';
import type { ChatStyle } from '../settings/chat-style.ts';
import type { AgentEnvironment } from '../environment.ts';
import { needed, systemTool, type SystemRuntime } from './system-tools.ts';
import { tool, type ToolContext } from './tool.ts';
import type { KnownTool } from './toolbox.ts';

export interface Reader {
  readonly role: string;
  readonly environment: AgentEnvironment;
  readonly language: Language;
  readonly usualStyle: ChatStyle;
}

export function readingTools(reader: Reader, runtime: SystemRuntime | undefined): KnownTool[] {
  const { examples, documents } = reader.environment;
  return [
    ...(examples === undefined ? [] : exampleTools(reader, runtime)),
    ...(documents === undefined ? [] : documentTools(reader)),
  ];
}

function exampleTools(
  { role, environment, language, usualStyle }: Reader,
  runtime: SystemRuntime | undefined,
): KnownTool[] {
  const { examples, settings } = environment;
  const { examplesStyle, consoleBox, exampleBox } = settings.values;
  const list = tool<{ start?: number; limit?: number }, string>({
    name: 'listOfExamples',
    description: 'Lists examples of how tasks like yours are done.',
    input: { type: 'object', properties: { start: { type: 'integer' }, limit: { type: 'integer' } } },
    execute: ({ start, limit }) => examples?.list(role, start, limit).text ?? '',
  });
  const show = tool<{ id?: string | number }, Promise<string>>({
    name: 'showExample',
    description: 'Shows an example by its number or name; without one, that of the variable exampleId.',
    input: { type: 'object', properties: { id: { type: ['string', 'number'] } } },
    idempotent: true,
    execute: async ({ id: given }, { job, idempotencyKey }: ToolContext) => {
      const id = given ?? (await needed(runtime).variable(job, language === 'python' ? 'example_id' : 'exampleId'));
      if (typeof id !== 'string' && typeof id !== 'number')
        return 'Give the number or name of an example; listOfExamples() lists them.';
      const example = examples?.find(role, id);
      if (example === undefined) return 'There are no examples.';
      // An example of hard work is looked up because the work is hard.
      const to: Difficulty | undefined = example.difficulty;
      if (to !== undefined) await needed(runtime).notify(job, { raise: true, to, key: idempotencyKey });
      const style = examplesStyle ?? (await needed(runtime).style(job)) ?? usualStyle;
      return layOutExample(example, { style, language, consoleBox, exampleBox });
    },
  });
  return [systemTool(list), systemTool(show)];
}

function documentTools({ role, environment: { documents } }: Reader): KnownTool[] {
  // Files are read at once, and an index is asked.
  if (documents instanceof KnowledgeDocuments)
    return documentToolsOf(
      { idempotent: true },
      async ({ topic }) => documents.list(role, topic),
      async ({ key, ...options }) => documents.show(role, key, options),
      async ({ query, ...options }) => documents.search(role, query, options),
    );
  return documentToolsOf(
    {},
    ({ topic }) => documents?.list(role, topic) ?? '',
    ({ key, ...options }) => documents?.show(role, key, options) ?? '',
    ({ query, ...options }) => documents?.search(role, query, options) ?? '',
  );
}

function documentToolsOf<Output extends string | Promise<string>>(
  effect: { readonly idempotent?: true },
  list: (input: { readonly topic?: string }) => Output,
  show: (input: ShowDocumentOptions & { readonly key: string | number }) => Output,
  search: (input: SearchDocumentsOptions & { readonly query: string }) => Output,
): KnownTool[] {
  return [
    systemTool(
      tool({
        name: 'listOfDocuments',
        description: 'Lists the documents you may read.',
        input: { type: 'object', properties: { topic: { type: 'string' } } },
        ...effect,
        execute: list,
      }),
    ),
    systemTool(
      tool({
        name: 'showDocument',
        description: 'Shows a document by its number or title.',
        input: {
          type: 'object',
          properties: {
            key: { type: ['string', 'number'] },
            topic: { type: 'string' },
            startFrom: { type: 'integer' },
            limit: { type: 'integer' },
          },
          required: ['key'],
        },
        ...effect,
        execute: show,
      }),
    ),
    systemTool(
      tool({
        name: 'searchDocuments',
        description: 'Searches the documents you may read for words; shows the lines that fit best.',
        input: {
          type: 'object',
          properties: { query: { type: 'string' }, topic: { type: 'string' }, limit: { type: 'integer' } },
          required: ['query'],
        },
        ...effect,
        execute: search,
      }),
    ),
  ];
}
