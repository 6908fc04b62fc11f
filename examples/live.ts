// Which real model an example asks: the one that was named, or one of a provider whose key is in the environment.
const providers = [
  { keys: ['OPENAI_API_KEY'], model: 'openai/gpt-5-mini' },
  { keys: ['ANTHROPIC_API_KEY'], model: 'anthropic/claude-sonnet-5' },
  { keys: ['GOOGLE_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'], model: 'google/gemini-2.5-flash' },
  { keys: ['OPENROUTER_API_KEY'], model: 'openrouter/openai/gpt-5-mini' },
] as const;

/** A model of the first provider with a key in the environment. */
export function modelWithKey(environment: NodeJS.ProcessEnv): string | undefined {
  const isSet = (key: string): boolean => (environment[key] ?? '').trim() !== '';
  return providers.find(({ keys }) => keys.some(isSet))?.model;
}

/** For `npm start -- --live`, which wants a real model and says what to set if there is none. */
export function liveModel(named: string | undefined, environment: NodeJS.ProcessEnv): string {
  const found = named ?? modelWithKey(environment);
  if (found !== undefined) return found;
  const choices = providers.map(({ keys, model }) => `  ${keys.join(' or ').padEnd(66)} ${model}`);
  throw new Error(
    [
      '--live asks a real model, and there is no key in the environment. Set one of',
      ...choices,
      'and run `npm start -- --live` again. `--model provider/name` names another model; a server of your own needs no key:',
      '  OLLAMA_API_URL=http://localhost:11434/v1 npm start -- --live --model ollama/qwen3',
    ].join('\n'),
  );
}
