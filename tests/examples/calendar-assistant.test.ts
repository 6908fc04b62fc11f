// `npm start`: the story's facts, told as text and as JSON, by a script and by a model behind a wire format.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { repliesIn } from '../../examples/calendar-assistant/script.ts';
import type { Report } from '../../examples/calendar-assistant/report.ts';
import { ModelServer } from '../models/server/server.ts';
import { runExample, type Finished } from './support.ts';

/** What the README's picture is made from. */
const recorded = readFileSync(join(import.meta.dirname, '../../docs/pictures/npm-start.ansi'), 'utf8');

/** Titles, without the commits they name. */
const chaptersIn = (text: string): string[] =>
  [...text.matchAll(/── (.*?) ──/g)].map((match) => (match[1] ?? '').replace(/\(\w+\)/, ''));

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

function checkFacts({ code, out, error }: Finished): Report {
  expect([code, error]).toEqual([0, '']);
  const report = JSON.parse(out) as Report;
  expect(report.processes.map(({ end }) => end)).toEqual(['SIGKILL', 'exit 0']);
  expect(report.processes.filter(({ pid }) => isAlive(pid))).toEqual([]);
  expect(report.meetings.slice(0, 2)).toEqual([
    { title: 'Weekly planning', before: 'Wed 4 Mar 09:00', after: 'Thu 5 Mar 11:00', moves: 1 },
    { title: 'Design review', before: 'Wed 4 Mar 14:00', after: 'Thu 5 Mar 14:00', moves: 1 },
  ]);
  expect(report.meetings.slice(2).map(({ moves }) => moves)).toEqual([0, 0, 0]);
  expect(report.approvals).toEqual([
    { question: "Move 'Weekly planning' to Thu 5 Mar 11:00?", by: 'Ann', approved: true },
    { question: "Move 'Design review' to Thu 5 Mar 14:00?", by: 'Ann', approved: true },
  ]);
  // The server was asked twice for the mail during which the process died, with one key, and delivered it once.
  expect(report.mails.map(({ text, requests }) => [text, requests])).toEqual([
    ['Weekly planning is now on Thu 5 Mar 11:00.', 2],
    ['Design review is now on Thu 5 Mar 14:00.', 1],
  ]);
  expect(report.chat).toHaveLength(2);
  expect(report.variables.map(({ name }) => name)).toEqual(expect.arrayContaining(['moved', 'slot', 'wednesday']));
  expect(report.timeTravel.value).toBe('Wed 4 Mar 09:00');
  expect(report.usage.turns).toBe(5);
  const kinds = report.timeline.map(({ kind }) => kind);
  // The dispatcher may or may not have been done at that moment.
  expect(kinds.filter((kind) => kind === 'killed')).toHaveLength(1);
  expect(kinds.indexOf('taken over')).toBeGreaterThan(kinds.indexOf('killed'));
  return report;
}

it('is killed, goes on, and has done everything once, in Python', async () => {
  const report = checkFacts(await runExample('calendar-assistant', ['--json', '--python']));
  expect(report.store).toBeUndefined();
  expect(report.usage.dollars).toBeGreaterThan(0);
  expect(report.language).toBe('python');
  expect(report.timeTravel.question).toContain('find_meeting');
}, 240_000);

it('tells it as text, and keeps the store where it is told to', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'statek-example-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { code, out, error } = await runExample('calendar-assistant', ['--store', folder]);
  expect([code, error]).toEqual([0, '']);
  expect(out).toMatch(/✖ process \d+ is killed \(SIGKILL\)/);
  expect(out).toContain('Weekly planning  Wed 4 Mar 09:00 → Thu 5 Mar 11:00   1 move');
  expect(out).toContain('delivered once, asked for twice');
  expect(out).toContain('docs/getting-started.md');
  expect(out).not.toContain('\u001b');
  expect(chaptersIn(recorded)).toEqual(chaptersIn(out));
  expect(existsSync(join(folder, 'store'))).toBe(true);
  const again = await runExample('calendar-assistant', ['--store', folder]);
  expect(again).toMatchObject({ code: 1, error: expect.stringContaining('Name another folder') as unknown });
}, 240_000);

it('is the same story in TypeScript, asking a real model with --live', async () => {
  const server = await ModelServer.start();
  onTestFinished(() => server.close());
  const { dispatcher, scheduler } = repliesIn('typescript');
  const said = [dispatcher[0], scheduler[0], dispatcher[1], scheduler[1], scheduler[2]];
  server.say(...said.map((text) => ({ text: [text ?? ''], usage: { input: 1000, output: 100 } })));
  const report = checkFacts(
    await runExample('calendar-assistant', ['--json', '--live'], {
      OPENAI_API_KEY: 'sk-key',
      OPENAI_API_URL: `${server.url}/v1/responses`,
    }),
  );
  expect(report).toMatchObject({
    language: 'typescript',
    model: 'openai/gpt-5-mini',
    usage: { input: 5000, output: 500 },
  });
  expect(server.requests).toHaveLength(5);
}, 240_000);

it('says what to set when there is no model to ask', async () => {
  const { code, out, error } = await runExample('calendar-assistant', ['--live']);
  expect([code, out]).toEqual([1, '']);
  expect(error).toContain('ANTHROPIC_API_KEY');
});
