// Models that answer with the script, one for each agent.
import { Models } from 'statek';
import { scriptedModel } from 'statek/testing';
import { repliesIn, type Language } from './script.ts';

/** Priced like a small model, so that there is a sum to show. The tokens are counted by their letters. */
export function scriptedModels(language: Language): Models {
  const { dispatcher, scheduler } = repliesIn(language);
  return new Models({
    env: {},
    models: {
      dispatcher: scriptedModel(dispatcher, { name: 'dispatcher', by: 'turn' }),
      // Its warmup is shown as two replies of its own, and replies are counted: they come first.
      scheduler: scriptedModel(['', '', ...scheduler], { name: 'scheduler', by: 'turn' }),
    },
    prices: `${import.meta.dirname}/prices.csv`,
  });
}
