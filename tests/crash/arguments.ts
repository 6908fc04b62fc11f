// The arguments of `npm run test:crash`.
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import type { CrashEngine } from './place.ts';

export interface CrashArguments {
  readonly rounds: number;
  readonly store: CrashEngine;
  readonly powerLoss: boolean;
  readonly seed: number;
  readonly json: boolean;
}

export const usage = `npm run test:crash -- [--rounds 100] [--store sqlite|file|postgres|redis] [--power-loss] [--seed N] [--json]
  Kills processes (of postgres and redis the server too) at random moments and compares what is left with what was acknowledged.
  --power-loss  rounds of simulated power cuts instead: only what was synced is kept (sqlite; needs strace)`;

export function parseArguments(given: readonly string[]): CrashArguments {
  const { values } = parseArgs({
    args: [...given],
    options: {
      rounds: { type: 'string', default: '100' },
      store: { type: 'string', default: 'sqlite' },
      'power-loss': { type: 'boolean', default: false },
      seed: { type: 'string' },
      json: { type: 'boolean', default: false },
    },
  });
  const { store, json, 'power-loss': powerLoss } = values;
  if (store !== 'sqlite' && store !== 'file' && store !== 'postgres' && store !== 'redis')
    throw new Error(`--store is sqlite, file, postgres or redis, not ${store}.`);
  if (powerLoss && store !== 'sqlite') throw new Error('--power-loss is for the sqlite store.');
  return {
    rounds: wholeNumber('--rounds', values.rounds),
    seed: values.seed === undefined ? randomInt(2 ** 31) : wholeNumber('--seed', values.seed),
    store,
    powerLoss,
    json,
  };
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,10}$/.test(text)) throw new Error(`${name} is a whole number, not ${text}.`);
  return Number(text);
}
