// OpenRouter: chat completions with actual costs, reasoning that can be sent back, and caching on request.
import { isJsonObject, toJson, type JsonObject } from '../json.ts';
import { effortOf } from '../reasoning-level.ts';
import type { Wire } from '../sdk/wire.ts';
import { compatible, compatibleName, loadCompatible } from './compatible.ts';

export const openrouter: Wire = {
  ...compatible,
  options: ({ reasoningLevel, cache }, model) => ({
    usage: { include: true },
    ...(reasoningLevel === undefined ? {} : { reasoning: { effort: effort(reasoningLevel) } }),
    // Anthropic's models cache only on request; the others cache automatically.
    ...(cache !== false && model.startsWith('anthropic/') ? { cache_control: { type: 'ephemeral' } } : {}),
  }),
  load: (connection, model) =>
    loadCompatible(connection, model, {
      transformRequestBody: withoutDuplicates,
      metadataExtractor: { extractMetadata: () => Promise.resolve(undefined), createStreamExtractor: reasoningDetails },
    }),
  replyMetadata: (metadata) => {
    const details = metadata[compatibleName]?.['reasoning_details'];
    return details === undefined ? undefined : { [compatibleName]: { reasoning_details: toJson(details) } };
  },
  cost: ({ raw }) => (typeof raw?.['cost'] === 'number' ? raw['cost'] : undefined),
};

function effort(level: number): string {
  const step = effortOf(level);
  return step === 'max' ? 'xhigh' : step;
}

/** The details contain the whole reasoning, so its text need not be sent too. */
function withoutDuplicates(body: Record<string, unknown>): Record<string, unknown> {
  const messages = Array.isArray(body['messages']) ? body['messages'] : [];
  return {
    ...body,
    messages: messages.map((message: unknown) => {
      if (!isJsonObject(message) || message['reasoning_details'] === undefined) return message;
      const { reasoning_content: _double, ...rest } = message;
      return rest;
    }),
  };
}

/** Collects the reasoning with its signatures, because models need it back unchanged. */
function reasoningDetails(): {
  processChunk(chunk: unknown): void;
  buildMetadata(): Record<string, JsonObject> | undefined;
} {
  const details: JsonObject[] = [];
  return {
    processChunk(chunk) {
      for (const part of detailsIn(chunk)) addDetail(details, part);
    },
    buildMetadata: () => (details.length === 0 ? undefined : { [compatibleName]: { reasoning_details: details } }),
  };
}

function detailsIn(chunk: unknown): JsonObject[] {
  const choice: unknown = isJsonObject(chunk) && Array.isArray(chunk['choices']) ? chunk['choices'][0] : undefined;
  const delta: unknown = isJsonObject(choice) ? choice['delta'] : undefined;
  const details: unknown = isJsonObject(delta) ? delta['reasoning_details'] : undefined;
  return Array.isArray(details) ? details.filter(isJsonObject) : [];
}

/** A block arrives in pieces with the same index: texts are concatenated, other members taken from the last piece. */
function addDetail(details: JsonObject[], piece: JsonObject): void {
  const last = details.at(-1);
  if (last === undefined || last['type'] !== piece['type'] || last['index'] !== piece['index']) {
    details.push({ ...piece });
    return;
  }
  for (const [name, value] of Object.entries(piece)) {
    const before = last[name];
    const joined = (name === 'text' || name === 'summary') && typeof before === 'string' && typeof value === 'string';
    if (joined) last[name] = before + value;
    else if (value !== null) last[name] = value;
  }
}
