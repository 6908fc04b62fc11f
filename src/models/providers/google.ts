// Google: the Gemini API. It caches by itself.
import type { Wire } from '../sdk/wire.ts';

export const google: Wire = {
  optionsName: 'google',
  richToolResults: false,
  neutralReasoning: true,
  // The others say what they thought when asked to think; Google must be asked for that too.
  options: ({ reasoningLevel = 0 }) => (reasoningLevel > 0 ? { thinkingConfig: { includeThoughts: true } } : {}),
  async load({ url, key, headers, fetch }, model) {
    const { createGoogle } = await import('@ai-sdk/google');
    return createGoogle({ baseURL: url, apiKey: key ?? 'none', headers: { ...headers }, fetch })(model);
  },
};
