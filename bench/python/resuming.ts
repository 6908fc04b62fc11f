// Going on after a wait in a process that is warm, and the start of one that is not.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { build } from '../../scripts/support/build.ts';
import { root } from '../../scripts/support/source.ts';
import { defaultLimits } from '../../src/workspace/limits.ts';
import type { ProgramHost, StoredImage } from '../../src/workspace/language.ts';
import { PythonLanguage } from '../../src/workspace/python/language.ts';
import { percentile } from '../support/measurement.ts';
import { receivedMessage } from '../../src/workspace/wire/wire.ts';

const program =
  'data = {n: str(n) for n in range(200)}\ndef work(rounds):\n    total = 0\n    for n in range(rounds):\n        total += len(ask(n))\n    return total\nwork(10**6)';

/** Two programs take turns in one interpreter, each put aside in the middle of a loop in a function. */
export async function measureResume(rounds: number): Promise<{ readonly p50: number; readonly capture: number }> {
  const language = new PythonLanguage({ instances: 1, memoryBytes: 2 ** 30, modules: new Map() });
  let future = 0;
  const host: ProgramHost = {
    answer: (operation) => (operation === 'future' ? `=[${++future}]` : '=[["u"]]'),
    answerPlain: () => undefined,
    isOver: () => false,
    now: () => Date.now(),
    zoneOffset: () => 0,
  };
  const waits: { image: StoredImage; future: number }[] = [];
  for (let index = 0; index < 2; index++) {
    const started = language.start(language.boot().image, host, defaultLimits, BigInt(index));
    started.begin(1, language.compile(program, 1, defaultLimits));
    started.finish();
    waits.push({ image: started.capture(), future });
    started.release();
  }
  const times: number[] = [];
  const captures: number[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const wait of waits) {
      const began = performance.now();
      const resumed = language.start(wait.image, host, defaultLimits);
      resumed.settle(wait.future, false, receivedMessage('["some answer"]'));
      resumed.finish();
      times.push(performance.now() - began);
      wait.future = future;
      const before = performance.now();
      wait.image = resumed.capture();
      captures.push(performance.now() - before);
      resumed.release();
    }
  }
  language.close();
  return { p50: percentile(times, 0.5), capture: percentile(captures, 0.5) };
}

export interface ColdStart {
  /** Milliseconds to the first result, on a new store and on one that has the workspace. */
  readonly fresh: number;
  readonly existing: number;
  /** And to the end of the process, on one that has the workspace. */
  readonly ended: number;
}

/** From the start of a process, by the clock of whoever starts it. On the built package: sources would be compiled first. */
export async function measureColdStart(folder: string, rounds: number): Promise<ColdStart> {
  const built = join(root, 'dist');
  await build(built);
  const entry = join(built, 'index.js');
  const fresh: number[] = [];
  const existing: number[] = [];
  const ended: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const store = join(folder, `cold ${round}`);
    fresh.push((await startOnce(entry, store)).result);
    const second = await startOnce(entry, store);
    existing.push(second.result);
    ended.push(second.end);
  }
  return { fresh: percentile(fresh, 0.5), existing: percentile(existing, 0.5), ended: percentile(ended, 0.5) };
}

function startOnce(entry: string, store: string): Promise<{ readonly result: number; readonly end: number }> {
  const began = performance.now();
  const child = spawn(process.execPath, [join(import.meta.dirname, 'start-child.ts'), entry, store], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let result = Number.NaN;
  child.stdout.once('data', () => (result = performance.now() - began));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve({ result, end: performance.now() - began });
      else reject(new Error(`The process ended with ${code}.`));
    });
  });
}
