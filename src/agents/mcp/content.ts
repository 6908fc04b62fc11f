// What a server answered, as values for code: structured content as it is, text as text, the rest as parts with bytes.
import type { CallToolResult } from '@modelcontextprotocol/client';

/** A part of an answer that is not only text. */
export type McpPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly mediaType: string; readonly data: Uint8Array }
  | {
      readonly type: 'resource';
      readonly uri: string;
      readonly mediaType?: string;
      readonly text?: string;
      readonly data?: Uint8Array;
    }
  | {
      readonly type: 'link';
      readonly uri: string;
      readonly name: string;
      readonly description?: string;
      readonly mediaType?: string;
    };

type Block = CallToolResult['content'][number];

export function valueOf({ structuredContent, content }: CallToolResult): unknown {
  if (structuredContent !== undefined) return structuredContent;
  const parts = content.map(partOf);
  if (parts.length === 0) return undefined;
  if (parts.every((part) => part.type === 'text')) return parts.map(({ text }) => text).join('\n');
  return parts.length === 1 ? parts[0] : parts;
}

/** An answer as words, for errors. */
export function textOf({ content }: Pick<CallToolResult, 'content'>): string {
  return content
    .map((block) => (block.type === 'text' ? block.text : `[${block.type}]`))
    .join('\n')
    .trim();
}

export function partOf(block: Block): McpPart {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text };
    case 'image':
    case 'audio':
      return { type: block.type, mediaType: block.mimeType, data: bytesOf(block.data) };
    case 'resource':
      return resourceOf(block.resource);
    case 'resource_link': {
      const { uri, name, description, mimeType } = block;
      return {
        type: 'link',
        uri,
        name,
        ...(description === undefined ? {} : { description }),
        ...(mimeType === undefined ? {} : { mediaType: mimeType }),
      };
    }
  }
}

export function resourceOf(resource: {
  readonly uri: string;
  readonly mimeType?: string | undefined;
  readonly text?: unknown;
  readonly blob?: unknown;
}): McpPart {
  const { uri, mimeType, text, blob } = resource;
  return {
    type: 'resource',
    uri,
    ...(mimeType === undefined ? {} : { mediaType: mimeType }),
    ...(typeof text === 'string' ? { text } : {}),
    ...(typeof blob === 'string' ? { data: bytesOf(blob) } : {}),
  };
}

function bytesOf(base64: string): Uint8Array {
  return new Uint8Array(Buffer.from(base64, 'base64'));
}
