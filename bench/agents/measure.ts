// Benchmarks agents: turns per second and the share of the store, tokens per turn as the history grows, and a typed task
// compared with a direct call of the AI SDK.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../../src/index.ts';
import { progress, round, type Measurement } from '../support/measurement.ts';
import { taskTimes } from './task.ts';
import { tokensPerTurn, turnsPerSecond } from './turns.ts';

export async function measure(quick: boolean): Promise<readonly Measurement[]> {
  const folder = mkdtempSync(join(tmpdir(), 'statek-bench-agents-'));
  try {
    return [...(await measureTurns(folder, quick)), ...(await measureTokens(quick)), ...(await measureTasks(quick))];
  } finally {
    progress('');
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureTurns(folder: string, quick: boolean): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  for (const jobs of [1, 100, 1000]) {
    const turns = jobs === 1 ? (quick ? 30 : 200) : jobs === 100 ? (quick ? 3 : 10) : 2;
    const rates: number[] = [];
    for (const place of [join(folder, `turns ${jobs}`), 'memory:']) {
      progress(`turns of ${jobs} jobs on ${place}`);
      const store = await openStore(place);
      rates.push(await turnsPerSecond(store, jobs, turns));
      await store.close();
    }
    const [durable = 0, memory = 0] = rates;
    measurements.push(
      {
        figure: `turnsPerSecond_${jobs}`,
        value: round(durable),
        unit: '/s',
        what: `turns, ${jobs} jobs at once, SQLite`,
      },
      { figure: `turnsPerSecondInMemory_${jobs}`, value: round(memory), unit: '/s', what: '… without a durable store' },
      {
        figure: `storeShare_${jobs}`,
        value: round(Math.max(0, 1 - durable / memory)),
        unit: '',
        what: '… part of the time that is the durable store',
      },
    );
  }
  return measurements;
}

async function measureTokens(quick: boolean): Promise<Measurement[]> {
  const turns = quick ? 300 : 1000;
  const contextTokens = 8000;
  progress(`a job of ${turns} turns`);
  const store = await openStore('memory:');
  const sent = await tokensPerTurn(store, turns, contextTokens);
  await store.close();
  const half = sent.slice(turns / 2);
  const mean = (list: readonly number[]): number => list.reduce((sum, one) => sum + one, 0) / list.length;
  const largest = Math.max(...sent);
  return [
    {
      figure: 'longJobTurns',
      value: turns,
      unit: '',
      what: `turns of one job with a window of ${contextTokens} tokens`,
    },
    { figure: 'tokensTurn10', value: sent[9] ?? 0, unit: 'tokens', what: 'sent in turn 10' },
    { figure: 'tokensTurn100', value: sent[99] ?? 0, unit: 'tokens', what: 'sent in turn 100' },
    { figure: 'tokensLastTurn', value: sent.at(-1) ?? 0, unit: 'tokens', what: `sent in turn ${turns}` },
    {
      figure: 'tokensLargest',
      value: largest,
      unit: 'tokens',
      what: 'sent in the largest turn',
      goal: { text: `≤ ${contextTokens}`, met: largest <= contextTokens },
    },
    {
      figure: 'tokensGrowth',
      value: round(mean(half.slice(-half.length / 2)) / mean(half.slice(0, half.length / 2))),
      unit: '×',
      what: 'mean of the last quarter against that of the third',
      goal: { text: '≤ 1.1', met: mean(half.slice(-half.length / 2)) <= 1.1 * mean(half.slice(0, half.length / 2)) },
    },
  ];
}

async function measureTasks(quick: boolean): Promise<Measurement[]> {
  progress('typed tasks');
  const { direct, inKit, alone } = await taskTimes(quick ? 10 : 50);
  return [
    {
      figure: 'directCallMilliseconds',
      value: round(direct),
      unit: 'ms',
      what: 'AI SDK: generateText with a schema, p50',
    },
    {
      figure: 'taskMilliseconds',
      value: round(inKit),
      unit: 'ms',
      what: 'a typed task in an open kit, p50: code has run',
    },
    {
      figure: 'taskAloneMilliseconds',
      value: round(alone),
      unit: 'ms',
      what: 'a typed task that opens a kit of its own',
    },
  ];
}
