// The last line of `npm test` must never count a failure as nothing.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { addCounts, countVitest, summaryLine } from './counts.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'statek-counts-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function results(changes: object): string {
  const path = join(folder, 'results.json');
  const none = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, testResults: [] };
  writeFileSync(path, JSON.stringify({ ...none, ...changes }));
  return path;
}

it('counts tests', () => {
  const path = results({ numPassedTests: 5, numFailedTests: 1, numPendingTests: 2, numTodoTests: 1 });
  expect(countVitest(path, 1)).toEqual({ passed: 5, failed: 1, skipped: 3 });
});

it('counts a file that could not be loaded', () => {
  const path = results({ numPassedTests: 5, testResults: [{ status: 'failed', assertionResults: [] }] });
  expect(countVitest(path, 1)).toEqual({ passed: 5, failed: 1, skipped: 0 });
});

it('counts a failing file once, by its failing tests', () => {
  const testResults = [{ status: 'failed', assertionResults: [{ status: 'failed' }, { status: 'passed' }] }];
  expect(countVitest(results({ numPassedTests: 1, numFailedTests: 1, testResults }), 1).failed).toBe(1);
});

it('counts an exit code that nothing else explains', () => {
  expect(countVitest(results({ numPassedTests: 5 }), 1)).toEqual({ passed: 5, failed: 1, skipped: 0 });
});

it('counts a run that left no results', () => {
  expect(countVitest(join(folder, 'nowhere.json'), 0).failed).toBe(1);
});

it('adds up, and mentions skipped ones only if there are any', () => {
  const sum = addCounts([
    { passed: 1, failed: 0, skipped: 0 },
    { passed: 2, failed: 1, skipped: 4 },
  ]);
  expect(summaryLine(sum)).toBe('3 passed, 1 failed, 4 skipped');
  expect(summaryLine({ passed: 3, failed: 0, skipped: 0 })).toBe('3 passed, 0 failed');
});
