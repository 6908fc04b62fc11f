// Google: the Gemini API. It caches automatically.
import type { Wire } from '../sdk/wire.ts';

export const google: Wire = {
  optionsName: 'google',
  richToolResults: false,
  neutralReasoning: true,
  // Other providers return their reasoning by default; Google must be asked for it.
  options: ({ reasoningLevel = 0 }) => (reasoningLevel > 0 ? { thinkingConfig: { includeThoughts: true } } : {}),
  async load({ url, key, headers, fetch }, model) {
    const { createGoogle } = await import('@ai-sdk/google');
    return createGoogle({ baseURL: url, apiKey: key ?? 'none', headers: { ...headers }, fetch })(model);
  },
};
