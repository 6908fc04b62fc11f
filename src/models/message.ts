// Messages to and from models, in a provider-neutral form. Every value is plain JSON.
import type { JsonObject, JsonValue } from './json.ts';

/** Text. */
export type TextPart = {
  readonly type: 'text';
  readonly text: string;
  /** Opaque data that must be sent back; only to the provider that produced it. */
  readonly metadata?: JsonObject;
};

/** An image, document or sound: its bytes in base64, or a URL the provider can read. */
export type MediaPart = {
  readonly type: 'media';
  readonly mediaType: string;
  readonly data?: string;
  readonly url?: string;
  readonly filename?: string;
  readonly metadata?: JsonObject;
};

/** The reasoning of a model. The text is for people; the provider uses the metadata. */
export type ReasoningPart = {
  readonly type: 'reasoning';
  readonly text: string;
  readonly metadata?: JsonObject;
};

/** A call of a tool that a model asks for. */
export type ToolCallPart = {
  readonly type: 'tool-call';
  readonly id: string;
  readonly name: string;
  readonly input: JsonValue;
  /** Why the input is invalid; `input` is then the raw text. */
  readonly invalid?: string;
  readonly metadata?: JsonObject;
};

/** The result of one tool call. */
export type ToolResultPart = {
  readonly type: 'tool-result';
  /** The id of the tool call. */
  readonly id: string;
  readonly name: string;
  /** Strings are sent as they are, other values as JSON. */
  readonly output: JsonValue;
  readonly media?: readonly MediaPart[];
  /** The call failed; `output` describes the failure. */
  readonly failed?: boolean;
};

/** Instructions. At the start they are the system prompt; later ones are sent as a note, with every provider. */
export type SystemMessage = {
  readonly role: 'system';
  readonly content: string;
};

/** What was said to a model. */
export type UserMessage = {
  readonly role: 'user';
  readonly content: string | readonly (TextPart | MediaPart)[];
};

/** A part of what a model has written. */
export type AssistantPart = TextPart | ReasoningPart | ToolCallPart | MediaPart;

/** What a model has written. */
export type AssistantMessage = {
  readonly role: 'assistant';
  readonly content: string | readonly AssistantPart[];
  /** The model that wrote it. Without it, no metadata is sent back. */
  readonly madeBy?: MadeBy;
  /** Opaque data about the whole reply that must be sent back. */
  readonly metadata?: JsonObject;
};

/** The model that wrote a message. */
export type MadeBy = {
  readonly provider: string;
  readonly model: string;
};

/** Results of tool calls. */
export type ToolMessage = {
  readonly role: 'tool';
  readonly content: readonly ToolResultPart[];
};

/** A message of a conversation, in terms of no provider. */
export type ModelMessage = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

/** The text of a message, without reasoning and tool calls. */
export function messageText(message: ModelMessage): string {
  if (typeof message.content === 'string') return message.content;
  return message.content
    .map((part) => {
      if (part.type === 'text') return part.text;
      return part.type === 'tool-result' && typeof part.output === 'string' ? part.output : '';
    })
    .join('');
}

/** The tool calls of a reply, in order. */
export function messageToolCalls(message: AssistantMessage): ToolCallPart[] {
  return typeof message.content === 'string' ? [] : message.content.filter((part) => part.type === 'tool-call');
}

/** Makes the ids of tool calls unique: some servers repeat or omit them, which no provider accepts back. */
export function withUniqueIds(content: readonly AssistantPart[]): readonly AssistantPart[] {
  const ids = new Set<string>();
  return content.map((part, index) => {
    if (part.type !== 'tool-call') return part;
    let { id } = part;
    while (id === '' || ids.has(id)) id = `${id === '' ? 'call' : id}-${index + 1}`;
    ids.add(id);
    return id === part.id ? part : { ...part, id };
  });
}
