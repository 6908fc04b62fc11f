// Anthropic: the messages API. Caching must be requested per part.
import type { Wire } from '../sdk/wire.ts';

export const anthropic: Wire = {
  optionsName: 'anthropic',
  richToolResults: true,
  neutralReasoning: true,
  options: () => ({}),
  cacheMark: { anthropic: { cacheControl: { type: 'ephemeral' } } },
  async load({ url, key, headers, fetch }, model) {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    return createAnthropic({ baseURL: url, apiKey: key ?? 'none', headers: { ...headers }, fetch })(model);
  },
};
