// Every kind of provider, all of them on the local server, so that one test can hold all of them to the same.
import type { ProviderOptions } from '../../src/models/providers/registry.ts';
import { Models, type ModelsOptions } from '../../src/models/models.ts';
import type { ModelServer } from './server/server.ts';

export interface TestedProvider {
  /** For titles. */
  readonly title: string;
  readonly model: string;
  readonly options: (server: ModelServer) => Readonly<Record<string, ProviderOptions>>;
}

const key = 'sk-very-secret-key';

export const testedProviders: readonly TestedProvider[] = [
  {
    title: 'openai (responses)',
    model: 'openai/gpt-5-mini',
    options: ({ url }) => ({ openai: { url: `${url}/v1/responses`, key } }),
  },
  {
    title: 'openai (chat completions)',
    model: 'openai/gpt-5-mini',
    options: ({ url }) => ({ openai: { url: `${url}/v1/chat/completions`, key } }),
  },
  {
    title: 'anthropic',
    model: 'anthropic/claude-sonnet-4-5',
    options: ({ url }) => ({ anthropic: { url, key } }),
  },
  { title: 'google', model: 'google/gemini-2.5-flash', options: ({ url }) => ({ google: { url, key } }) },
  {
    title: 'openrouter',
    model: 'openrouter/anthropic/claude-sonnet-4.5',
    options: ({ url }) => ({ openrouter: { url: `${url}/api/v1`, key } }),
  },
  { title: 'ollama', model: 'ollama/llama3:8b', options: ({ url }) => ({ ollama: { url } }) },
];

/** Models that know nothing but the local server. They do not try again unless they are told to. */
export function modelsAt(server: ModelServer, provider: TestedProvider, more: ModelsOptions = {}): Models {
  return new Models({
    env: {},
    providers: provider.options(server),
    retry: { attempts: 1 },
    random: () => 0,
    ...more,
  });
}
