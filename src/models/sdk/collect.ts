// Collects a stream into an answer. Only a stream that ends properly becomes one.
import type { LanguageModelV4StreamPart, LanguageModelV4Usage, SharedV4ProviderMetadata } from '@ai-sdk/provider';
import type { ModelAnswer, ModelTurn } from '../backend.ts';
import { ModelContentRefusedError, ModelInvalidReplyError, ModelNetworkError } from '../errors.ts';
import { isJsonObject, toJson, type JsonObject, type JsonValue } from '../json.ts';
import type { AssistantPart, ToolCallPart } from '../message.ts';
import type { FinishReason, ModelTokens } from '../request.ts';
import { ReplyParts } from './reply-parts.ts';
import { warningText } from './warning.ts';
import type { WireTraits } from './wire.ts';

type Part<Type extends LanguageModelV4StreamPart['type']> = Extract<LanguageModelV4StreamPart, { type: Type }>;

export async function collect(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  wire: Pick<WireTraits, 'cost' | 'replyMetadata'>,
  turn: ModelTurn,
): Promise<ModelAnswer> {
  const parts = new ReplyParts();
  const warnings: string[] = [];
  const toolNames = new Map<string, string>();
  let finish: Part<'finish'> | undefined;
  for await (const part of stream) {
    switch (part.type) {
      case 'stream-start':
        warnings.push(...part.warnings.map(warningText));
        break;
      case 'text-start':
      case 'reasoning-start':
        parts.begin(part.type === 'text-start' ? 'text' : 'reasoning', part.id, part.providerMetadata);
        break;
      case 'text-delta':
      case 'reasoning-delta': {
        const type = part.type === 'text-delta' ? 'text' : 'reasoning';
        parts.add(type, part.id, part.delta, part.providerMetadata);
        if (part.delta !== '') turn.emit({ type, text: part.delta });
        break;
      }
      case 'text-end':
      case 'reasoning-end':
        parts.add(part.type === 'text-end' ? 'text' : 'reasoning', part.id, '', part.providerMetadata);
        break;
      case 'tool-input-start':
        toolNames.set(part.id, part.toolName);
        turn.emit({ type: 'tool-call', id: part.id, name: part.toolName, text: '' });
        break;
      case 'tool-input-delta':
        turn.emit({ type: 'tool-call', id: part.id, name: toolNames.get(part.id) ?? '', text: part.delta });
        break;
      case 'tool-call':
        parts.push(toolCall(part));
        break;
      case 'file':
        parts.push(media(part));
        break;
      case 'finish':
        finish = part;
        break;
      case 'error':
        throw part.error;
      case 'custom':
      case 'reasoning-file':
      case 'tool-result':
      case 'tool-approval-request':
        warnings.push(`The reply contains a part of type '${part.type}', which is ignored.`);
        break;
      case 'source':
      case 'response-metadata':
      case 'tool-input-end':
      case 'ping':
      case 'raw':
        break;
    }
  }
  if (finish === undefined) throw incomplete();
  const metadata = wire.replyMetadata?.(finish.providerMetadata ?? {});
  const cost = wire.cost?.(finish.usage);
  const content = parts.all();
  return {
    content,
    finish: finishReason(finish, content),
    tokens: tokensOf(finish.usage),
    warnings,
    ...(metadata === undefined ? {} : { metadata }),
    ...(cost === undefined ? {} : { cost }),
  };
}

function finishReason(
  { finishReason: { unified, raw } }: Part<'finish'>,
  content: readonly AssistantPart[],
): FinishReason {
  switch (unified) {
    case 'stop':
    case 'length':
    case 'tool-calls':
      return unified;
    case 'content-filter': {
      const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
      throw new ModelContentRefusedError(
        `The model refused to answer${text === '' ? '' : `: ${text.slice(0, 500)}`}.`,
        raw === undefined ? {} : { reason: raw },
      );
    }
    case 'interrupted':
      throw incomplete();
    case 'error':
      throw broken(raw);
    case 'other':
      // Gateways pass on finish reasons of failed upstream servers.
      if (raw !== undefined && /error|fail|abort|cancel/i.test(raw)) throw broken(raw);
      return 'other';
  }
}

function broken(raw: string | undefined): ModelInvalidReplyError {
  return new ModelInvalidReplyError(
    `The model stopped because of an error${raw === undefined ? '' : ` (${raw})`}.`,
    raw === undefined ? {} : { reason: raw },
  );
}

function incomplete(): ModelNetworkError {
  return new ModelNetworkError('The reply was cut off before it was complete.');
}

function toolCall(part: Part<'tool-call'>): ToolCallPart {
  const call = { type: 'tool-call', id: part.toolCallId, name: part.toolName } as const;
  const metadata = opaque(part.providerMetadata);
  let input: JsonValue;
  try {
    // Models may write nothing for an empty input.
    input = part.input.trim() === '' ? {} : (JSON.parse(part.input) as JsonValue);
  } catch (error) {
    return { ...call, input: part.input, invalid: `not JSON: ${(error as Error).message}`, ...metadata };
  }
  if (!isJsonObject(input)) return { ...call, input: part.input, invalid: 'not a JSON object', ...metadata };
  return { ...call, input, ...metadata };
}

function media({ mediaType, data, providerMetadata }: Part<'file'>): AssistantPart {
  if (data.type === 'url') return { type: 'media', mediaType, url: data.url.href, ...opaque(providerMetadata) };
  const base64 = typeof data.data === 'string' ? data.data : Buffer.from(data.data).toString('base64');
  return { type: 'media', mediaType, data: base64, ...opaque(providerMetadata) };
}

function opaque(metadata: SharedV4ProviderMetadata | undefined): { metadata?: JsonObject } {
  return metadata === undefined ? {} : { metadata: toJson(metadata) as JsonObject };
}

function tokensOf({ inputTokens, outputTokens }: LanguageModelV4Usage): ModelTokens {
  return {
    input: inputTokens.total ?? 0,
    output: outputTokens.total ?? 0,
    cached: inputTokens.cacheRead ?? 0,
    cacheWrite: inputTokens.cacheWrite ?? 0,
    reasoning: outputTokens.reasoning ?? 0,
  };
}
