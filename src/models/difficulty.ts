// A model per difficulty: `MODEL: L:openai/gpt-5-mini,MH:anthropic/claude-opus-5`.
import { ModelStringError } from './errors.ts';

/** Low, medium, high. */
export type Difficulty = 'L' | 'M' | 'H';

/** The model string for each difficulty. */
export type ModelChoice = Readonly<Record<Difficulty, string>>;

export const difficulties: readonly Difficulty[] = ['L', 'M', 'H'];

const prefix = /^\s*([LMH]+)\s*:/;

/** Parses a MODEL setting. One model string applies to all difficulties; a list must have a model for each. */
export function parseModelChoice(text: string): ModelChoice {
  if (!prefix.test(text)) {
    if (text.trim() === '')
      throw new ModelStringError("MODEL is empty. Set it to a model string such as 'openai/gpt-5-mini'.", { text });
    return { L: text.trim(), M: text.trim(), H: text.trim() };
  }
  const choice: Partial<Record<Difficulty, string>> = {};
  for (const entry of text.split(/,(?=\s*[LMH]+\s*:)/)) {
    const letters = prefix.exec(entry)?.[1] ?? '';
    const model = entry.replace(prefix, '').trim();
    if (model === '') throw new ModelStringError(`MODEL '${text}' has no model for ${letters}.`, { text });
    for (const letter of letters) {
      if (choice[letter as Difficulty] !== undefined) {
        throw new ModelStringError(`MODEL '${text}' has two models for ${letter}. Keep one.`, { text });
      }
      choice[letter as Difficulty] = model;
    }
  }
  const missing = difficulties.filter((difficulty) => choice[difficulty] === undefined);
  if (missing.length > 0) {
    throw new ModelStringError(`MODEL '${text}' has no model for ${missing.join(', ')}.`, { text, missing });
  }
  return choice as ModelChoice;
}
