// A job of very many turns stays inside the window of its model, and what a turn sends does not grow with its history.
import { expect, it } from 'vitest';
import { openStore } from '../../src/index.ts';
import { tokensPerTurn } from '../../bench/agents/turns.ts';

const turns = Number(process.env['STATEK_TEST_TURNS'] ?? 120);
const contextTokens = 3000;

it('sends no more with each turn once old turns are folded', { timeout: 600_000 }, async () => {
  const store = await openStore('memory:');
  const sent = await tokensPerTurn(store, turns, contextTokens);
  await store.close();
  expect(sent).toHaveLength(turns);
  expect(Math.max(...sent)).toBeLessThanOrEqual(contextTokens);
  const mean = (list: readonly number[]): number => list.reduce((sum, one) => sum + one, 0) / list.length;
  const quarter = Math.floor(turns / 4);
  expect(mean(sent.slice(-quarter))).toBeLessThan(1.15 * mean(sent.slice(-2 * quarter, -quarter)));
});
