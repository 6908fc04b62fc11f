// The tools of one agent: what its code can call, what its model is told of, and what its provider is offered.
import type { JsonObject, ModelTool } from '../../models/door.ts';
import { callOptionsOf, isAsync, parametersOf, placed } from '../../workspace/door.ts';
import type { ChatStyle } from '../settings/chat-style.ts';
import { AgentSettingsError } from '../errors.ts';
import type { Doc } from '../docs/doc.ts';
import { snakeCase } from '../docs/print/python-type.ts';
import { dialects } from '../language.ts';
import type { Language } from '../prompts/metadata.ts';
import { isInScope, type ToolsScope } from '../prompts/tools-scope.ts';
import { tool, toolDefinitionOf, type ToolContext, type ToolDefinition } from './tool.ts';

/**
 * What an agent can call: plain functions, those made with `tool(…)`, and lists of them; or all of them by name, where tools of the
 * AI SDK may stand as well.
 */
export type AgentTools =
  | readonly (((...parameters: never[]) => unknown) | readonly ((...parameters: never[]) => unknown)[])[]
  | Readonly<
      Record<
        string,
        | ((...parameters: never[]) => unknown)
        | {
            readonly description?: string | ((options: never) => string) | undefined;
            readonly inputSchema: unknown;
            readonly execute?: ((input: never, options: never) => unknown) | undefined;
          }
      >
    >;

/** A tool of the AI SDK. */
interface SdkTool {
  readonly description?: unknown;
  readonly inputSchema: unknown;
  readonly execute?: unknown;
  readonly needsApproval?: unknown;
}

/** A tool as an agent has it. `positional` is a plain function, whose parameters have names but no schema. */
export interface KnownTool extends ToolDefinition {
  readonly positional: boolean;
  readonly source: object;
}

export function knownTools(role: string, tools: AgentTools, internal: boolean): KnownTool[] {
  const entries: (readonly [string | undefined, unknown])[] = Array.isArray(tools)
    ? tools.map((one: unknown) => [undefined, one] as const)
    : Object.entries(tools);
  return entries.map(([name, given]) => {
    const known = knownTool(role, name, given);
    return internal ? { ...known, hidden: true } : known;
  });
}

function knownTool(role: string, name: string | undefined, given: unknown): KnownTool {
  if (typeof given === 'function') {
    const definition = toolDefinitionOf(given);
    if (definition !== undefined)
      return { ...definition, name: name ?? definition.name, positional: false, source: given };
    return plainFunction(role, name ?? given.name, given as (...parameters: unknown[]) => unknown);
  }
  if (typeof given === 'object' && given !== null && 'inputSchema' in given) {
    if (name === undefined)
      throw new AgentSettingsError(
        `The agent '${role}' has a tool of the AI SDK without a name: give tools as { name: tool }.`,
        { role },
      );
    return { ...sdkTool(name, given), positional: false, source: given };
  }
  throw new AgentSettingsError(`The agent '${role}' was given a tool that is neither a function nor a tool.`, { role });
}

function plainFunction(role: string, name: string, called: (...parameters: unknown[]) => unknown): KnownTool {
  if (name === '')
    throw new AgentSettingsError(`The agent '${role}' was given a function without a name as a tool.`, { role });
  const parameters = parametersOf(called);
  const { names, required } = parameters;
  const json: JsonObject = {
    type: 'object',
    properties: Object.fromEntries(names.map((one) => [one, {}])),
    required: [...required],
    additionalProperties: false,
  };
  return {
    name,
    description: '',
    input: { json, marked: json, check: (value) => ({ value }) },
    output: undefined,
    hidden: name.startsWith('_'),
    system: false,
    target: undefined,
    onJobError: undefined,
    capabilities: [],
    call: { effect: isAsync(called), ...callOptionsOf(called) },
    bind: (positional, named) => (named === undefined ? positional : placed(parameters, positional, named)),
    check: (named) => named,
    execute: (checked) => called(...checked),
    positional: true,
    source: called,
  };
}

function sdkTool(name: string, { description, inputSchema, execute, needsApproval }: SdkTool): ToolDefinition {
  if (typeof execute !== 'function')
    throw new AgentSettingsError(`The tool '${name}' of the AI SDK has no 'execute': nobody could call it.`, { name });
  if (description !== undefined && typeof description !== 'string')
    throw new AgentSettingsError(
      `The tool '${name}' of the AI SDK computes its description for each request; a job is told about its tools once. Give it a text.`,
      { name },
    );
  const made = tool<unknown, unknown>({
    name,
    description,
    effect: true,
    approval: approvalOf(needsApproval),
    execute: (input: unknown, { idempotencyKey, abortSignal }: ToolContext) =>
      (execute as (input: unknown, options: unknown) => unknown)(input, {
        toolCallId: idempotencyKey,
        messages: [],
        abortSignal,
      }),
    input: inputSchema as JsonObject,
  });
  return toolDefinitionOf(made) as ToolDefinition;
}

/** A function that takes its time counts as one that asks: only `false` lets a call pass. */
function approvalOf(needsApproval: unknown): 'always' | ((input: unknown) => boolean) | undefined {
  if (typeof needsApproval !== 'function') return needsApproval === true ? 'always' : undefined;
  const decide = needsApproval as (input: unknown, options: unknown) => boolean;
  return (input) => decide(input, { toolCallId: '', messages: [] });
}

/** What the provider is offered, by LLM_TOOLS_SCOPE and the chat style. */
export function offeredTools(
  tools: readonly KnownTool[],
  options: {
    readonly style: ChatStyle;
    readonly language: Language;
    readonly scope: ToolsScope | undefined;
    /** What the comment of a plain function says. */
    readonly docOf?: (one: KnownTool) => Doc | undefined;
  },
): ModelTool[] {
  const { style, language, docOf } = options;
  // A tool has one name, whether code calls it or the provider.
  const named = (name: string): string => nameInCode(name, language);
  const scope = options.scope && {
    ...options.scope,
    added: options.scope.added.map(named),
    removed: options.scope.removed.map(named),
  };
  const { codeTool, title } = dialects[language];
  const code: ModelTool = {
    name: codeTool,
    description: `Runs ${title} code in your workspace. What it prints, and the value of its last expression, is the result. Variables stay.`,
    input: {
      type: 'object',
      properties: { code: { type: 'string', description: `${title} code` } },
      required: ['code'],
      additionalProperties: false,
    },
  };
  if (scope === undefined) return style === 'DIRECT' ? [code] : [];
  const unknown = [...scope.added, ...scope.removed].filter(
    (name) => name !== codeTool && !tools.some((one) => named(one.name) === name),
  );
  if (unknown.length > 0)
    throw new AgentSettingsError(`LLM_TOOLS_SCOPE names '${unknown[0]}', which is not a tool of the agent.`, { scope });
  const hidden = tools.find((one) => one.hidden && scope.added.includes(named(one.name)));
  if (hidden !== undefined)
    throw new AgentSettingsError(
      `LLM_TOOLS_SCOPE adds '${named(hidden.name)}', which is hidden: no provider is shown it. Do not hide it, or do not add it.`,
      { scope },
    );
  return [
    ...(style === 'DIRECT' && isInScope(scope, { name: codeTool, system: true }) ? [code] : []),
    ...tools
      .map((one) => ({ ...one, name: named(one.name) }))
      .filter((one) => !one.hidden && (one.target?.includes(style) ?? true) && isInScope(scope, one))
      .map((one) => offered(one, one.positional ? docOf?.(one) : undefined)),
  ];
}

/** What code of a language calls a tool; its provider calls it so, too. */
export function nameInCode(name: string, language: Language): string {
  return language === 'python' ? snakeCase(name) : name;
}

function offered({ name, description, input }: KnownTool, doc: Doc | undefined): ModelTool {
  const said = description || [doc?.brief, doc?.details].filter(Boolean).join('\n\n');
  const json = input?.json ?? { type: 'object', properties: {} };
  const texts = (doc?.parameters ?? []).flatMap(({ name: one, text }) =>
    text === '' ? [] : [[one, { description: text }] as const],
  );
  const properties = { ...(json['properties'] as JsonObject), ...Object.fromEntries(texts) };
  return {
    name,
    ...(said === '' ? {} : { description: said }),
    input: texts.length === 0 ? json : { ...json, properties },
  };
}
