// Checks that the models agents use can be resolved and have an API key.
import type { AgentDefinition } from '../../agents/kinds/agent-definition.ts';
import { CompiledAgent } from '../../agents/compiled-agent.ts';
import { AgentEnvironment } from '../../agents/environment.ts';
import { Models } from '../../models/models.ts';
import { keyOf, keyVariable, urlOf } from '../../models/providers/environment.ts';
import type { Application } from '../application/application.ts';
import type { Finding } from './finding.ts';

const needKeys = new Set(['openai', 'anthropic', 'google', 'openrouter']);

export function* examineModels({ config, settings }: Application): Generator<Finding, void, undefined> {
  const { agents = [], models: given } = config;
  const isOwn = given instanceof Models;
  const environment = new AgentEnvironment(settings);
  for (const agent of agents) {
    const name = `agent ${agent.role}`;
    try {
      const models = isOwn ? given : new Models({ env: settings.environment, ...given });
      const wanted = modelsOf(agent, environment).map(({ model, provider }) => models.resolve(model, provider));
      const missing = isOwn
        ? []
        : wanted.map(({ provider }) => provider).filter((provider) => lacksKey(provider, config, settings.environment));
      const text = [...new Set(wanted.map(({ provider, model }) => `${provider}/${model}`))].join(', ');
      yield missing.length === 0
        ? { name, status: 'ok', text }
        : {
            name,
            status: 'warn',
            text: `${text}; no API key`,
            advice: `Set ${[...new Set(missing)].map(keyVariable).join(', ')} in the environment or in .env.`,
          };
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      yield { name, status: 'fail', text: `${code === undefined ? '' : `${code}: `}${message}` };
    }
  }
}

function modelsOf(
  agent: AgentDefinition,
  environment: AgentEnvironment,
): { model: string; provider: string | undefined }[] {
  const { models, provider, fallbacks } = new CompiledAgent(agent, environment).createJobDef().definition;
  return [
    ...[...new Set(Object.values(models))].map((model) => ({ model, provider })),
    ...fallbacks.map((model) => ({ model, provider: undefined })),
  ];
}

function lacksKey(
  provider: string,
  { models }: Application['config'],
  environment: Application['settings']['environment'],
): boolean {
  if (!needKeys.has(provider) || models instanceof Models) return false;
  const own = models?.providers?.[provider];
  return own === undefined && keyOf(environment, provider) === undefined && urlOf(environment, provider) === undefined;
}
