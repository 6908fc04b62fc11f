// Every server with OpenAI's chat completions API: Ollama, LM Studio, vLLM, llama.cpp, gateways, other companies.
import type { OpenAICompatibleProviderSettings } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { plainEffortOf } from '../reasoning-level.ts';
import type { Connection, Wire } from '../sdk/wire.ts';

export const compatibleName = 'openaiCompatible';

export async function loadCompatible(
  { url, key, headers, fetch }: Connection,
  model: string,
  more: Partial<OpenAICompatibleProviderSettings> = {},
): Promise<LanguageModelV4> {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
  const provider = createOpenAICompatible({
    name: compatibleName,
    baseURL: url,
    ...(key === undefined ? {} : { apiKey: key }),
    headers: { ...headers },
    fetch,
    includeUsage: true,
    supportsStructuredOutputs: true,
    ...more,
  });
  return provider.chatModel(model);
}

export const compatible: Wire = {
  optionsName: compatibleName,
  richToolResults: false,
  neutralReasoning: false,
  options: ({ reasoningLevel }) =>
    reasoningLevel === undefined ? {} : { reasoningEffort: plainEffortOf(reasoningLevel) },
  load: (connection, model) => loadCompatible(connection, model),
};
