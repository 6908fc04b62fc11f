// AI SDK models created by the application, of any interface version still in use.
import type { LanguageModelV2, LanguageModelV3, LanguageModelV4 } from '@ai-sdk/provider';
import { InvalidOptionError } from '../../base/options.ts';
import type { ModelBackend } from '../backend.ts';
import { anthropic } from '../providers/anthropic.ts';
import { SdkBackend } from './backend.ts';
import type { WireTraits } from './wire.ts';

/**
 * An AI SDK model, such as `openai('gpt-5')` of `@ai-sdk/openai`. Declares only what identifies it: the
 * declarations of the SDK need packages that may not be installed.
 */
export interface SdkLanguageModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doStream(options: never): PromiseLike<unknown>;
}

const versions: readonly string[] = ['v2', 'v3', 'v4'];

export function isSdkModel(value: object): value is SdkLanguageModel {
  return 'specificationVersion' in value && 'doStream' in value;
}

/** `name` and `id` are the application's names of the provider and the model. */
export function registeredBackend(name: string, model: SdkLanguageModel, id: string = model.modelId): ModelBackend {
  if (!versions.includes(model.specificationVersion)) {
    throw new InvalidOptionError(
      `The model '${name}' has the AI SDK interface '${model.specificationVersion}'; supported are ${versions.join(', ')}. Update Statek or the SDK.`,
      { name, version: model.specificationVersion },
    );
  }
  const wire = wireFor(model.provider.split('.')[0] ?? model.provider);
  return new SdkBackend({ provider: name, model: id, wire, secrets: [], load: () => currentVersion(model) });
}

async function currentVersion(given: SdkLanguageModel): Promise<LanguageModelV4> {
  const model = given as LanguageModelV4 | LanguageModelV3 | LanguageModelV2;
  if (model.specificationVersion === 'v4') return model;
  const { wrapLanguageModel } = await import('ai');
  return wrapLanguageModel({ model, middleware: [] });
}

/** For other models, only the name of their options is known. */
function wireFor(optionsName: string): WireTraits {
  const { richToolResults, cacheMark } = anthropic;
  const known = optionsName === anthropic.optionsName && cacheMark !== undefined ? { richToolResults, cacheMark } : {};
  return { optionsName, richToolResults: false, neutralReasoning: true, options: () => ({}), ...known };
}
