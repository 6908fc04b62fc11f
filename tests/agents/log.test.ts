// What a kit tells while its agents work: as much as the log level wants, and everything in a trace file.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Log } from '../../src/agents/log.ts';
import type { LogLevel } from '../../src/agents/settings/definitions.ts';
import { storeFolder } from '../workspace/support/kits.ts';
import { played } from './support/agents.ts';
import { ts } from './support/fences.ts';

it.each<[LogLevel, readonly string[]]>([
  ['silent', []],
  ['warn', ['warn: a job ended without a result']],
  ['info', ['info: a model replied', 'warn: a job ended without a result']],
  ['debug', ['debug: asks a model', 'info: a model replied', 'warn: a job ended without a result']],
  [
    'trace',
    ['debug: asks a model', 'trace: the request', 'info: a model replied', 'warn: a job ended without a result'],
  ],
])('says as much as the log level %s wants', async (logLevel, expected) => {
  const lines: string[] = [];
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((line) => {
    lines.push(String(line));
    return true;
  });
  onTestFinished(() => write.mockRestore());
  await played({}, [ts('fail("x")')], { message: 'x' }, { settings: { logLevel } });
  const told = lines.filter((line) => line.startsWith('statek ')).map((line) => line.slice(7).split(' {')[0]);
  expect(told).toEqual(expected);
});

it('writes each turn with its request and reply into the trace file', async () => {
  const traceFile = join(storeFolder(), 'trace.jsonl');
  const settings = { traceFile, logLevel: 'silent' as const };
  const { kit, job } = await played({}, [ts('print(1)'), { fault: 'auth' }], { message: 'x' }, { settings });
  await kit.close();
  const lines = readFileSync(traceFile, 'utf8').trim().split('\n');
  const [first, second] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines).toHaveLength(2);
  expect(first).toMatchObject({ job: job.id, role: 'helper', turn: 1, request: { model: 'script' }, reply: {} });
  expect(second).toMatchObject({ turn: 2, error: expect.stringContaining('auth') as string });
});

it('goes on when the trace file cannot be written, and says so once', async () => {
  const lines: string[] = [];
  const log = new Log({
    level: 'error',
    traceFile: join(storeFolder(), 'missing', 'trace'),
    write: (line) => lines.push(line),
  });
  log.trace({ a: 1 });
  log.trace({ a: 2 });
  await log.flush();
  expect(lines).toEqual([expect.stringContaining('cannot be written')]);
});

it('writes one JSON value per line where that is wanted', () => {
  const lines: string[] = [];
  const log = new Log({ level: 'warn', format: 'json', write: (line) => lines.push(line) });
  log.log('warn', 'a slice took long', { job: 'a', step: 2, commit: 'abc' });
  log.log('debug', 'nothing');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    { time: expect.any(String) as unknown, level: 'warn', text: 'a slice took long', job: 'a', step: 2, commit: 'abc' },
  ]);
});
