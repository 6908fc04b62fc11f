// A turn costs what its tokens cost, by the built-in table or a file.
import { expect, it } from 'vitest';
import { Prices } from './prices.ts';
import type { ModelTokens } from '../request.ts';

const tokens = (more: Partial<ModelTokens>): ModelTokens => ({
  input: 0,
  output: 0,
  cached: 0,
  cacheWrite: 0,
  reasoning: 0,
  ...more,
});

it('prices cached and newly cached input apart', () => {
  const used = tokens({ input: 1_000_000, cached: 600_000, cacheWrite: 100_000, output: 200_000, reasoning: 150_000 });
  // 300,000 at 1, 600,000 at 0.1, 100,000 at 1.25, 200,000 at 5; reasoning is part of the output.
  expect(new Prices().costOf('anthropic', 'claude-haiku-4-5', used)).toBeCloseTo(0.3 + 0.06 + 0.125 + 1, 10);
});

it('takes the price of a dated model from its name', () => {
  const used = tokens({ input: 1_000_000 });
  const prices = new Prices();
  expect(prices.costOf('openai', 'gpt-5-mini-2025-08-07', used)).toBe(0.25);
  expect(prices.costOf('anthropic', 'claude-haiku-4-5-20251001', used)).toBe(1);
});

it('knows that long requests cost more', () => {
  const prices = new Prices();
  expect(prices.costOf('google', 'gemini-2.5-pro', tokens({ input: 200_000 }))).toBe(0.25);
  expect(prices.costOf('google', 'gemini-2.5-pro', tokens({ input: 200_001 }))).toBeCloseTo(0.500_002_5, 10);
});

it('says nothing of models it does not know', () => {
  expect(new Prices().costOf('ollama', 'llama3:8b', tokens({ input: 5 }))).toBeUndefined();
  expect(new Prices().costOf('openrouter', 'openai/gpt-5', tokens({ input: 5 }))).toBeUndefined();
});

it('replaces the prices of a model by those of a file', () => {
  const text =
    '\uFEFF"Model",input,output\r\n# our contract\r\n"openai/gpt-5-mini",0.2,1\r\n\r\nollama/llama3:8b,0,0\r\n'.slice(
      1,
    );
  const prices = new Prices({ text, where: 'prices.csv' });
  expect(prices.costOf('openai', 'gpt-5-mini', tokens({ input: 1_000_000, cached: 1_000_000 }))).toBe(0.2);
  expect(prices.costOf('ollama', 'llama3:8b', tokens({ input: 5 }))).toBe(0);
  expect(prices.costOf('openai', 'gpt-5-nano', tokens({ input: 1_000_000 }))).toBe(0.05);
});

it.each([
  ['', /the first line must list the columns/],
  ['model,input\nopenai/a,1', /model, input and output are required/],
  ['model,input,output,price\n', /out of model, from, input, output, cached, cache_write/],
  ['model,input,output\nopenai/a,1', /prices.csv, line 2: output is ''/],
  ['model,input,output\n\nopenai/a,free,1', /prices.csv, line 3: input is 'free'; it must be a number/],
  ['model,input,output\ngpt-5,1,1', /line 2: 'gpt-5' is not of the form provider\/model/],
])('refuses %j', (text, message) => {
  expect(() => new Prices({ text, where: 'prices.csv' })).toThrow(message);
});
