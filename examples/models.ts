// The models of an example. Without a key they are scripts; with a key of a provider in the environment, a real model takes the
// place of each of them. EXAMPLE_MODEL names another one, and EXAMPLE_MODEL=scripted asks the scripts in any case.
import { Models } from 'statek';
import type { ModelsOptions } from 'statek/models';
import type { ScriptedModel } from 'statek/testing';
import { modelWithKey } from './live.ts';

/** @param scripts by the names that agents use as their MODEL */
export function exampleModels(
  scripts: Readonly<Record<string, ScriptedModel>>,
  options: Omit<ModelsOptions, 'models'> = {},
): Models {
  const { EXAMPLE_MODEL: named = modelWithKey(process.env) ?? 'scripted' } = process.env;
  if (named === 'scripted') return new Models({ ...options, models: scripts });
  console.error(`The model is ${named}; with EXAMPLE_MODEL=scripted a script would answer.\n`);
  const real = new Models(options).backend(named);
  return new Models({ ...options, models: Object.fromEntries(Object.keys(scripts).map((name) => [name, real])) });
}

/** A reply of a script that is nothing but code. */
export function code(language: 'ts' | 'python', ...lines: string[]): string {
  return `\`\`\`${language}\n${lines.join('\n')}\n\`\`\``;
}
