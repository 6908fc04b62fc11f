// Tools every agent has: to look things up about what it can use, to ask for a stronger model, to see what was folded.
import { messageText, type JsonObject } from '../../models/door.ts';
import { guestFunctionName, isSameName } from '../../workspace/door.ts';
import type { ChatItem } from '../chat/item.ts';
import { faultText } from '../chat/console.ts';
import { briefText, declarationOf, docText } from '../docs/listing.ts';
import type { Declaration } from '../docs/declaration.ts';
import { workspaceText } from '../docs/workspace-functions.ts';
import { declarationOfTool } from '../listing.ts';
import type { Language } from '../prompts/metadata.ts';
import type { ChatStyle } from '../settings/chat-style.ts';
import type { AgentEnvironment } from '../environment.ts';
import { tool, toolDefinitionOf, type ToolContext, type ToolDefinition } from './tool.ts';
import type { KnownTool } from './toolbox.ts';

/** What the job of a conversation is given beside its first message. */
export interface ThreadOptions {
  readonly vars?: Readonly<Record<string, unknown>> | undefined;
  readonly parameters?: JsonObject | undefined;
}

/** What system tools need of the kit. */
export interface SystemRuntime {
  notify(job: string, body: unknown): Promise<void>;
  items(job: string, from: number, upTo: number): Promise<ChatItem[]>;
  readonly shared: ReadonlyMap<string, unknown>;
  /** The agents of this process, and those others have told of. */
  roles(): readonly {
    readonly role: string;
    readonly description: string;
    readonly capabilities: readonly string[];
  }[];
  /** What was said in a job. */
  dialog(
    job: string,
  ): Promise<readonly { readonly message: string | undefined; readonly answers: readonly string[] }[]>;
  /** Starts a job with a message; returns its id. */
  startThread(role: string, id: string, message: string, options: ThreadOptions): Promise<string>;
  say(job: string, message: string): Promise<void>;
  /** Whether a job says nothing to anybody. */
  isMute(job: string): Promise<boolean>;
  /** A variable of a job. */
  variable(job: string, name: string): Promise<unknown>;
  /** The chat style of a job. */
  style(job: string): Promise<ChatStyle | undefined>;
}

export interface ToolOwner {
  readonly role: string;
  /** Its own, and those the system adds. */
  allTools(): readonly KnownTool[];
  readonly language: Language;
  readonly environment: AgentEnvironment;
}

export function systemTools(owner: ToolOwner, runtime: SystemRuntime | undefined): KnownTool[] {
  return [brief(owner), docstr(owner), panic(runtime), unfold(runtime), sharedValue(runtime)];
}

/** A tool of the system, as an agent has it. */
export function systemTool(made: (...parameters: never[]) => unknown): KnownTool {
  const definition = toolDefinitionOf(made) as ToolDefinition;
  return { ...definition, system: true, positional: false, source: made };
}

export function needed<Runtime>(runtime: Runtime | undefined): Runtime {
  if (runtime === undefined) throw new Error('This tool can be called in a job only.');
  return runtime;
}

const nameSchema = (description: string): JsonObject => ({
  type: 'object',
  properties: { name: { description } },
});

/** What is known of a tool, a variable's object, a class or a function of the workspace; of everything without a name. */
function known(owner: ToolOwner, given: unknown, detail: 'brief' | 'full'): string {
  const { role, environment, language } = owner;
  const { knowledge } = environment;
  const written = (declaration: Declaration): string =>
    detail === 'brief' ? briefText(declaration, language) : docText(declaration, language);
  const between = detail === 'brief' ? '\n' : '\n\n';
  const tools = owner.allTools();
  const wanted = (given as { name?: unknown } | undefined)?.name;
  if (wanted === undefined)
    return [
      ...tools.filter(({ hidden }) => !hidden).map((one) => written(declarationOfTool(one, knowledge))),
      workspaceText(undefined, language, detail) ?? '',
    ].join(between);
  // A function of the workspace itself is guest code's own, and is known by its name alone.
  const told = guestFunctionName(wanted) ?? (typeof wanted === 'string' ? wanted : undefined);
  const name = told ?? (typeof wanted === 'function' ? wanted.name : '');
  const found = tools.find((one) => one.name === name) ?? tools.find((one) => isSameName(one.name, name));
  if (found !== undefined) return found.hidden ? nothingKnown : written(declarationOfTool(found, knowledge));
  if (told !== undefined) return workspaceText(told, language, detail) ?? nothingKnown;
  const declared = declarationOf(wanted, { knowledge, role });
  return declared === undefined ? nothingKnown : written(declared);
}

const nothingKnown = 'Nothing is known of that.';

function brief(owner: ToolOwner): KnownTool {
  return systemTool(
    tool<unknown, string>({
      name: 'brief',
      description: 'What a tool, an object or a class is, in short; without anything, all there is.',
      input: nameSchema('A tool, an object or the name of a tool'),
      execute: (input) => known(owner, input, 'brief'),
    }),
  );
}

function docstr(owner: ToolOwner): KnownTool {
  return systemTool(
    tool<unknown, string>({
      name: 'docstr',
      description: 'Everything there is to know about a tool, an object or a class.',
      input: nameSchema('A tool, an object or the name of a tool'),
      execute: (input) => known(owner, input, 'full'),
    }),
  );
}

function panic(runtime: SystemRuntime | undefined): KnownTool {
  return systemTool(
    tool<{ reason?: string }, Promise<string>>({
      name: 'panic',
      description: 'Says that this is too hard: from the next turn on a stronger model goes on.',
      input: { type: 'object', properties: { reason: { type: 'string' } } },
      idempotent: true,
      execute: async (_input, { job, idempotencyKey }: ToolContext) => {
        await needed(runtime).notify(job, { raise: true, key: idempotencyKey });
        return 'From the next turn on a stronger model goes on, if there is one.';
      },
    }),
  );
}

function unfold(runtime: SystemRuntime | undefined): KnownTool {
  return systemTool(
    tool<{ first: number; last?: number }, Promise<string>>({
      name: 'unfold',
      description: 'Shows earlier parts of this conversation again, by their numbers.',
      input: {
        type: 'object',
        properties: { first: { type: 'integer' }, last: { type: 'integer' } },
        required: ['first'],
      },
      idempotent: true,
      execute: async ({ first, last = first }, { job }: ToolContext) => {
        const items = await needed(runtime).items(job, first, Math.min(last, first + 100));
        return items.map(itemText).filter(Boolean).join('\n') || 'There is no such part.';
      },
    }),
  );
}

/** What a call of a task brought along. */
function sharedValue(runtime: SystemRuntime | undefined): KnownTool {
  const execute = (key: string): unknown => needed(runtime).shared.get(key);
  return systemTool(tool<string, unknown>({ name: '_sharedValue', hidden: true, execute }));
}

function itemText(item: ChatItem): string {
  switch (item.kind) {
    case 'reply':
      return `[${item.number}] you: ${messageText(item.message)}`;
    case 'step':
      return item.warmup?.hidden === true
        ? ''
        : `[${item.number}] output: ${[...item.console, item.value ?? '', item.error === undefined ? '' : faultText(item.error)].filter(Boolean).join('\n')}`;
    case 'result':
      return `[${item.number}] ${item.name}: ${item.output}`;
    case 'fold':
      return '';
    default:
      return `[${item.number}] ${item.kind}: ${item.text}`;
  }
}
