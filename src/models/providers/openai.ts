// OpenAI: the responses API, or chat completions if the address says so or the server is not OpenAI's.
import type { Wire } from '../sdk/wire.ts';

export const openai: Wire = {
  optionsName: 'openai',
  richToolResults: false,
  neutralReasoning: true,
  // Nothing is stored at the provider: a recorded reply must be self-contained and still work in a year.
  options: ({ cacheKey }) => ({ store: false, ...(cacheKey === undefined ? {} : { promptCacheKey: cacheKey }) }),
  async load({ url, endpoint, key, headers, fetch }, model) {
    const { createOpenAI } = await import('@ai-sdk/openai');
    const provider = createOpenAI({ baseURL: url, apiKey: key ?? 'none', headers: { ...headers }, fetch });
    const responses = endpoint === undefined ? new URL(url).hostname.endsWith('openai.com') : endpoint === '/responses';
    return responses ? provider.responses(model) : provider.chat(model);
  },
};
