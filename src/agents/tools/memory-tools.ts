// Tools with which a job reads and writes what is remembered across jobs, within what it was bound to.
import type { Json } from '../../history/door.ts';
import { render } from '../../workspace/door.ts';
import { MemoryUnboundError } from '../errors.ts';
import type { MemoryBinding } from '../memory/binding.ts';
import type { Fact } from '../memory/rows.ts';
import type { Language } from '../prompts/metadata.ts';
import { needed, systemTool } from './system-tools.ts';
import { tool, type ToolContext } from './tool.ts';
import type { KnownTool } from './toolbox.ts';

export interface MemoryRuntime {
  /** What a job is bound to; undefined if it is not. */
  memoryOf(job: string): Promise<MemoryBinding | undefined>;
  notify(job: string, body: unknown): Promise<void>;
}

const noMemory = 'This job is not bound to any memory.';

export function memoryTools(owner: { readonly language: Language }, runtime: MemoryRuntime | undefined): KnownTool[] {
  const remember = tool<{ name: string; value: Json; category?: string; expiresIn?: number }, Promise<string>>({
    name: 'remember',
    description: 'Remembers a fact under a name, for later jobs.',
    input: {
      type: 'object',
      properties: {
        name: { type: 'string' },
        value: {},
        category: {
          type: 'string',
          description: 'PREFERENCE, ENTITY (the default), VOCABULARY, or one of the application',
        },
        expiresIn: { type: 'integer', description: 'Milliseconds after which it is forgotten' },
      },
      required: ['name', 'value'],
    },
    idempotent: true,
    execute: async ({ name, value, ...options }, { job }: ToolContext) => {
      const memory = await needed(runtime).memoryOf(job);
      if (memory === undefined) throw new MemoryUnboundError(`${noMemory} '${name}' was not remembered.`, { job });
      await memory.remember(name, value, options);
      await needed(runtime).notify(job, { shared: { name, value } });
      return `Remembered ${name}.`;
    },
  });
  const recall = tool<{ query?: string; category?: string }, Promise<string>>({
    name: 'recall',
    description: 'What is remembered: everything, or what has the words of a query.',
    input: { type: 'object', properties: { query: { type: 'string' }, category: { type: 'string' } } },
    idempotent: true,
    execute: async ({ query, category }, { job }: ToolContext) => {
      const memory = await needed(runtime).memoryOf(job);
      if (memory === undefined) return noMemory;
      return (
        factsText(
          query === undefined ? await memory.recall({ category }) : await memory.search(query, { category }),
          owner.language,
        ) || 'Nothing is remembered about that.'
      );
    },
  });
  return [systemTool(remember), systemTool(recall)];
}

export function factsText(facts: readonly Fact[], language: Language): string {
  return facts.map(({ name, value, category }) => `${name} (${category}): ${render(value, { language })}`).join('\n');
}
