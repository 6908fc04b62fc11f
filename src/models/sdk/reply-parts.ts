// The parts of a reply in the order in which they started; their pieces may be interleaved.
import type { SharedV4ProviderMetadata } from '@ai-sdk/provider';
import { jsonCopy } from '../json.ts';
import type { AssistantPart } from '../message.ts';

interface Growing {
  readonly type: 'text' | 'reasoning';
  text: string;
  metadata: SharedV4ProviderMetadata | undefined;
}

export class ReplyParts {
  readonly #parts: (Growing | AssistantPart)[] = [];
  readonly #open = new Map<string, Growing>();

  begin(type: Growing['type'], id: string, metadata: SharedV4ProviderMetadata | undefined): void {
    const part: Growing = { type, text: '', metadata };
    this.#parts.push(part);
    // Some providers reuse an id for the next block; the latest one applies.
    this.#open.set(`${type} ${id}`, part);
  }

  add(type: Growing['type'], id: string, text: string, metadata: SharedV4ProviderMetadata | undefined): void {
    if (!this.#open.has(`${type} ${id}`)) this.begin(type, id, undefined);
    const part = this.#open.get(`${type} ${id}`);
    if (part === undefined) return;
    part.text += text;
    for (const [name, value] of Object.entries(metadata ?? {})) {
      part.metadata = { ...part.metadata, [name]: { ...part.metadata?.[name], ...value } };
    }
  }

  push(part: AssistantPart): void {
    this.#parts.push(part);
  }

  all(): AssistantPart[] {
    return this.#parts
      .filter((part) => !('text' in part) || part.text !== '' || part.metadata !== undefined)
      .map((part) => jsonCopy(part) as AssistantPart);
  }
}
