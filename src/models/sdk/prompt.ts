// Converts messages to the SDK's prompt, in a form that all providers accept.
import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultPart,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider';
import type { JsonObject } from '../json.ts';
import type {
  AssistantMessage,
  AssistantPart,
  MediaPart,
  ModelMessage,
  TextPart,
  ToolMessage,
  ToolResultPart,
} from '../message.ts';
import type { WireTraits } from './wire.ts';

type AssistantContent = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'];

/** `provider` is the registered name: reasoning and metadata are sent back only to the provider that produced them. */
export function toPrompt(messages: readonly ModelMessage[], provider: string, wire: WireTraits): LanguageModelV4Prompt {
  const prompt: LanguageModelV4Prompt = [];
  // Tool call ids of other providers are replaced; their results must use the same replacement.
  const renamed = new Map<string, string>();
  for (const message of messages) {
    switch (message.role) {
      case 'system':
        if (!isBlank(message.content)) prompt.push(systemMessage(message.content, prompt));
        break;
      case 'user':
        prompt.push({ role: 'user', content: userContent(message.content) });
        break;
      case 'assistant': {
        const converted = assistantMessage(message, message.madeBy?.provider === provider, renamed);
        if (converted.content.length > 0) prompt.push(converted);
        break;
      }
      case 'tool':
        prompt.push(...toolMessages(message, wire, renamed));
        break;
    }
  }
  return prompt;
}

/** Most providers accept system messages only at the start, so later ones become notes. */
function systemMessage(text: string, before: LanguageModelV4Prompt): LanguageModelV4Message {
  if (before.every(({ role }) => role === 'system')) return { role: 'system', content: text };
  return { role: 'user', content: [{ type: 'text', text: `<system_note>\n${text}\n</system_note>` }] };
}

function userContent(
  content: string | readonly (TextPart | MediaPart)[],
): (LanguageModelV4TextPart | LanguageModelV4FilePart)[] {
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  const converted = parts.flatMap((part): (LanguageModelV4TextPart | LanguageModelV4FilePart)[] => {
    if (part.type === 'media') return [filePart(part)];
    return isBlank(part.text) ? [] : [{ type: 'text', text: part.text }];
  });
  // Some providers reject empty messages, but leaving it out would break the order of roles.
  return converted.length > 0 ? converted : [{ type: 'text', text: '(empty message)' }];
}

function filePart({ mediaType, data, url, filename }: MediaPart): LanguageModelV4FilePart {
  return {
    type: 'file',
    mediaType,
    data: url === undefined ? { type: 'data', data: data ?? '' } : { type: 'url', url: new URL(url) },
    ...(filename === undefined ? {} : { filename }),
  };
}

function assistantMessage(
  { content, metadata }: AssistantMessage,
  own: boolean,
  renamed: Map<string, string>,
): Extract<LanguageModelV4Message, { role: 'assistant' }> {
  const given = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  const parts = given.flatMap((part) => assistantPart(part, own, renamed));
  // Providers reject trailing reasoning without output, as in a reply that was too long.
  const last = parts.findLastIndex(({ type }) => type !== 'reasoning');
  return { role: 'assistant', content: parts.slice(0, last + 1), ...(own ? options(metadata) : {}) };
}

function assistantPart(part: AssistantPart, own: boolean, renamed: Map<string, string>): AssistantContent {
  const opaque = own ? options(part.metadata) : {};
  switch (part.type) {
    case 'text':
      // Google attaches signatures to empty texts.
      return isBlank(part.text) && !(own && part.metadata !== undefined)
        ? []
        : [{ type: 'text', text: part.text, ...opaque }];
    case 'reasoning':
      return own ? [{ type: 'reasoning', text: part.text, ...opaque }] : [];
    case 'media':
      // Only the provider that produced media is sure to accept it in an assistant message.
      return [own ? { ...filePart(part), ...opaque } : { type: 'text', text: `[${part.mediaType}]` }];
    case 'tool-call':
      if (!own) renamed.set(part.id, neutralId(part.id));
      return [
        {
          type: 'tool-call',
          toolCallId: own ? part.id : neutralId(part.id),
          toolName: part.name,
          // Providers accept only objects as input; the tool result says what is wrong with it.
          input: part.invalid === undefined ? part.input : { invalid_input: part.input },
          ...opaque,
        },
      ];
  }
}

function toolMessages(
  { content }: ToolMessage,
  wire: WireTraits,
  renamed: ReadonlyMap<string, string>,
): LanguageModelV4Message[] {
  const media = wire.richToolResults
    ? []
    : content.flatMap(({ name, media: parts = [] }) =>
        parts.length === 0
          ? []
          : [{ type: 'text' as const, text: `From the result of ${name}:` }, ...parts.map(filePart)],
      );
  return [
    { role: 'tool', content: content.map((part) => toolResult(part, wire, renamed)) },
    ...(media.length === 0 ? [] : [{ role: 'user' as const, content: media }]),
  ];
}

function toolResult(
  part: ToolResultPart,
  wire: WireTraits,
  renamed: ReadonlyMap<string, string>,
): LanguageModelV4ToolResultPart {
  const text = typeof part.output === 'string' ? part.output : JSON.stringify(part.output);
  const media = wire.richToolResults ? (part.media ?? []) : [];
  return {
    type: 'tool-result',
    toolCallId: renamed.get(part.id) ?? part.id,
    toolName: part.name,
    output:
      media.length > 0
        ? { type: 'content', value: [{ type: 'text', text }, ...media.map(filePart)] }
        : { type: part.failed === true && wire.richToolResults ? 'error-text' : 'text', value: text },
  };
}

/** Ids of one provider may contain characters that another rejects. */
function neutralId(id: string): string {
  return id.replaceAll(/[^A-Za-z0-9_-]/g, '_');
}

function options(metadata: JsonObject | undefined): { providerOptions?: SharedV4ProviderOptions } {
  return metadata === undefined ? {} : { providerOptions: metadata as SharedV4ProviderOptions };
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}
