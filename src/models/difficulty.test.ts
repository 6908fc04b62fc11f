// One model for all difficulties, or a list that leaves none out.
import { expect, it } from 'vitest';
import { parseModelChoice } from './difficulty.ts';

it.each([
  ['openai/gpt-5', ['openai/gpt-5', 'openai/gpt-5', 'openai/gpt-5']],
  ['ollama/llama3:8b', ['ollama/llama3:8b', 'ollama/llama3:8b', 'ollama/llama3:8b']],
  ['L:ollama/llama3:8b,MH:openai/gpt-5 rl=60', ['ollama/llama3:8b', 'openai/gpt-5 rl=60', 'openai/gpt-5 rl=60']],
  ['H: c , M: b , L: a', ['a', 'b', 'c']],
  ['LMH:a', ['a', 'a', 'a']],
  ['L:a, rl=5,MH:b', ['a, rl=5', 'b', 'b']],
])('reads %s', (text, [L, M, H]) => {
  expect(parseModelChoice(text)).toEqual({ L, M, H });
});

it.each([
  ['', /is empty/],
  ['L:a,H:b', /no model for M/],
  ['L:a,LMH:b', /two models for L/],
  ['L:,MH:b', /no model for L/],
])('refuses %s', (text, message) => {
  expect(() => parseModelChoice(text)).toThrow(message);
});
