// Converts a request to the SDK's call options.
import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool, LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { BackendRequest } from '../backend.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import { effortOf } from '../reasoning-level.ts';
import type { ModelTool, ToolChoice } from '../request.ts';
import { toPrompt } from './prompt.ts';
import type { WireTraits } from './wire.ts';

export interface CallTarget {
  /** The registered name. */
  readonly provider: string;
  readonly model: string;
  readonly wire: WireTraits;
}

export function toCallOptions(
  request: BackendRequest,
  { provider, model, wire }: CallTarget,
  abortSignal: AbortSignal,
): LanguageModelV4CallOptions {
  const prompt = toPrompt(request.messages, provider, wire);
  if (request.cache !== false) markForCache(prompt, wire);
  return {
    prompt,
    abortSignal,
    ...present('temperature', request.temperature),
    ...present('topP', request.topP),
    ...present('maxOutputTokens', request.maxOutputTokens),
    ...present('seed', request.seed),
    ...(request.stopSequences === undefined ? {} : { stopSequences: [...request.stopSequences] }),
    ...(request.output === undefined ? {} : { responseFormat: { type: 'json', schema: request.output } }),
    ...(request.tools === undefined || request.tools.length === 0
      ? {}
      : { tools: request.tools.map(functionTool), toolChoice: toolChoice(request.toolChoice ?? 'auto') }),
    ...(request.reasoningLevel !== undefined && wire.neutralReasoning
      ? { reasoning: effortOf(request.reasoningLevel) }
      : {}),
    providerOptions: {
      [wire.optionsName]: merge(wire.options(request, model), request.settings?.[provider] ?? {}),
    },
  };
}

/** Marks the parts that repeat from turn to turn: the instructions, and everything up to the last message. */
function markForCache(prompt: LanguageModelV4Prompt, { cacheMark }: WireTraits): void {
  if (cacheMark === undefined) return;
  const system = prompt.findLast(({ role }) => role === 'system');
  for (const message of new Set([system, prompt.at(-1)])) {
    if (message !== undefined) message.providerOptions = { ...message.providerOptions, ...cacheMark };
  }
}

function functionTool({ name, description, input, strict }: ModelTool): LanguageModelV4FunctionTool {
  return {
    type: 'function',
    name,
    inputSchema: input,
    ...present('description', description),
    ...present('strict', strict),
  };
}

function toolChoice(choice: ToolChoice): NonNullable<LanguageModelV4CallOptions['toolChoice']> {
  return typeof choice === 'string' ? { type: choice } : { type: 'tool', toolName: choice.tool };
}

function present<Name extends string, Value>(name: Name, value: Value | undefined): { [name in Name]?: Value } {
  return value === undefined ? {} : ({ [name]: value } as { [name in Name]: Value });
}

/** Settings of the request take precedence; objects are merged. */
function merge(below: JsonObject, above: JsonObject): JsonObject {
  const merged = { ...below };
  for (const [name, value] of Object.entries(above)) {
    const before = merged[name];
    const objects = isJsonObject(before) && isJsonObject(value);
    merged[name] = objects ? merge(before, value) : value;
  }
  return merged;
}
