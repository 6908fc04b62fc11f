// A program goes from process to process through a file, in the middle of loops, `finally`, a generator and closures.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bootImage } from './fixtures/guest.ts';

interface Report {
  readonly finished: unknown[];
  readonly waiting: number[];
  readonly boot: string;
  readonly image: string;
}

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'statek-resume-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function inProcess(...values: string[]): Report {
  const script = fileURLToPath(new URL('fixtures/resume-process.ts', import.meta.url));
  return JSON.parse(execFileSync(process.execPath, [script, ...values], { encoding: 'utf8' })) as Report;
}

function story(file: string, ...noise: string[]): Report[] {
  return [
    inProcess(file),
    inProcess(file, '1', '10', ...noise),
    inProcess(file, '2', '20', ...noise),
    inProcess(file, '4', '40', ...noise),
    inProcess(file, '3', '30', ...noise),
  ];
}

const result = {
  sums: [42, 64],
  third: 300,
  count: 100,
  doubled: ['a0=20', 'bb0=40', 'bb1=80', 'a1=60'],
  log: ['a 0 10', 'bb 0 20', 'bb 1 40', 'bb finally', 'a 1 30', 'a finally', 'generator closed'],
};

it('goes on where it stopped, in five processes', () => {
  const reports = story(join(folder, 'plain'));
  expect(reports.map(({ waiting }) => waiting)).toEqual([[1, 2], [2, 3], [3, 4], [3], []]);
  expect(reports.at(-1)?.finished).toEqual([{ value: result }]);
  // Every process made the same boot image, and so did this one.
  expect(new Set(reports.map(({ boot }) => boot))).toEqual(new Set([bootImage().hash()]));
});

it('does not notice what lies in the dead part of the stack, and images are the same in every run', () => {
  const quiet = story(join(folder, 'quiet'));
  const noisy = story(join(folder, 'noisy'), 'noise');
  expect(noisy.at(-1)?.finished).toEqual([{ value: result }]);
  expect(noisy.map(({ image }) => image)).toEqual(quiet.map(({ image }) => image));
});
