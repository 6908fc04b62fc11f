// Commands that look: each as text and as JSON, over one store that was prepared beforehand.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Note } from './application/statek.config.ts';
import { expectProcesses, json, openApplication, statek, statekHere } from './support/statek.ts';

expectProcesses();

const folder = mkdtempSync(join(tmpdir(), 'statek-cli-'));
const store = join(folder, 'data');
const at = (...words: string[]): string[] => [...words, '--store', store];
const alone = (...words: string[]): string[] => [...at(...words), '--store-only'];
afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeAll(async () => {
  const kit = await openApplication(store);
  await kit.submit('double', { id: 'double-4', vars: { n: 4 }, labels: ['even', 'small'] });
  await kit.submit('fails', { id: 'fails-1', labels: ['small'] });
  await kit.submit('asks', { id: 'asks-1' });
  await kit.submit('talker', { id: 'talker-1', message: 'hello' });
  await kit.submit('parent', { id: 'parent-1' });
  await kit.submit('clerk', { id: 'clerk-1', message: 'Count.' });
  await kit.runUntilIdle();
  const note = await kit.transaction(() => new Note('buy milk'));
  const workspace = await kit.workspace('notes', { vars: { note } });
  await workspace.run(`const words = note.text.split(' '); print('words:', words.length)`);
  await workspace.run(`words.push('now'); const many = new Map([['a', 1n]]); words.length`);
  await workspace.run(`const bell = await signal('door')`);
  await kit.close();
});

describe('jobs', () => {
  it('lists, filters and counts', async () => {
    const [text, all, small, count, newer] = await Promise.all([
      statek(at('jobs')),
      json(at('jobs', '--oldest')),
      json(at('jobs', '--label', 'small', '--outcome', 'failed')),
      json(at('jobs', '--count')),
      json(at('jobs', '--since', '1h', '--before', '2000-01-01T00:00:00Z')),
    ]);
    expect(text.code).toBe(0);
    expect(text.stdout).toMatch(/^JOB +ROLE +STATUS/);
    expect(text.stdout).toMatch(/double-4 +double +DONE completed +(?:now|.* ago) /);
    expect(text.stdout).toMatch(/fails-1 +fails +DONE failed .*too many/);
    const { jobs } = all as { jobs: { id: string; created: string; status: string }[] };
    expect(jobs.map(({ id }) => id)).toEqual(expect.arrayContaining(['double-4', 'parent-1', 'parent-1.1', 'clerk-1']));
    expect(jobs[0]?.created).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
    expect((small as { jobs: { id: string }[] }).jobs.map(({ id }) => id)).toEqual(['fails-1']);
    expect(count).toMatchObject({ total: jobs.length });
    expect((newer as { jobs: unknown[] }).jobs).toEqual([]);
  });

  it('goes on from page to page', async () => {
    const first = (await json(at('jobs', '--limit', '2'))) as { jobs: { id: string }[]; cursor: string };
    const second = (await json(at('jobs', '--limit', '2', '--cursor', first.cursor))) as { jobs: { id: string }[] };
    expect(first.jobs).toHaveLength(2);
    expect(second.jobs.map(({ id }) => id)).not.toContain(first.jobs[0]?.id);
  });
});

it('shows a job, by the beginning of its id, also without the application', async () => {
  const [text, record, bare, parent] = await Promise.all([
    statekHere(at('show', 'double')),
    json(at('show', 'double')),
    json(alone('show', 'clerk-1')),
    json(at('show', 'parent-1')),
  ]);
  expect(text.stdout).toMatch(/status +DONE completed/);
  expect(text.stdout).toMatch(/result +8/);
  expect(record).toMatchObject({
    id: 'double-4',
    status: 'DONE',
    outcome: 'completed',
    result: 8,
    labels: ['even', 'small'],
  });
  expect(bare).toMatchObject({ role: 'clerk', result: 7, usage: { turns: 2 }, variables: { seven: 7 } });
  expect(parent).toMatchObject({ result: 42, children: [{ id: 'parent-1.1', role: 'double' }] });
});

it('shows a workspace', async () => {
  const [text, record] = await Promise.all([statekHere(at('show', 'notes')), json(at('show', 'notes'))]);
  expect(text.stdout).toMatch(/workspace +notes/);
  expect(text.stdout).toContain("waits for signal 'door'");
  expect(record).toMatchObject({ id: 'notes', language: 'typescript', step: { number: 3, status: 'suspended' } });
});

it('shows variables; objects of classes nobody registered as records', async () => {
  const [text, known, bare, one] = await Promise.all([
    statekHere(alone('locals', 'notes')),
    json(at('locals', 'notes')),
    json(alone('locals', 'notes')),
    json(at('locals', 'notes', 'words')),
  ]);
  expect(text.stdout).toMatch(/note +Note \{ text: 'buy milk' \}/);
  for (const record of [known, bare])
    expect(record).toMatchObject({
      note: { '[class]': 'Note', text: 'buy milk' },
      words: ['buy', 'milk', 'now'],
      many: [['a', '1']],
    });
  expect(one).toEqual(['buy', 'milk', 'now']);
  expect(await statekHere(at('locals', 'notes', 'nothing'))).toMatchObject({ code: 3, stdout: '' });
});

it('prints the console', async () => {
  const [text, lines] = await Promise.all([
    statekHere(at('console', 'notes', '--last', '1')),
    json(at('console', 'double-4')),
  ]);
  expect(text.stdout).toBe('words: 2\n');
  expect(lines).toEqual(['doubling 4']);
});

it('tells what everyone waits for, and how it ends', async () => {
  const [text, all, asked] = await Promise.all([
    statekHere(at('waiting')),
    json(alone('waiting')),
    json(at('waiting', '--people', '--role', 'asks')),
  ]);
  expect(text.stdout).toMatch(/asks-1 +asks +ask: Which day\?.*answer asks-1\/1 TEXT/);
  expect(text.stdout).toMatch(/talker-1 +talker +a message.*say talker-1 TEXT/);
  expect(text.stdout).toMatch(/notes .*signal 'door'.*signal 'door'/);
  expect((all as { workspace: string; kind: string }[]).map(({ workspace, kind }) => `${workspace} ${kind}`)).toEqual(
    expect.arrayContaining(['asks-1 ask', 'talker-1 message', 'notes signal']),
  );
  expect(asked).toMatchObject([{ id: 'asks-1/1', kind: 'ask' }]);
});

describe('history', () => {
  it('says of every item of two conversations what it was', async () => {
    const { code, stdout } = await statekHere(at('compare', 'clerk-1', 'double-4'));
    expect(code).toBe(0);
    expect(stdout).toMatch(/^- step: ./m);
    expect(stdout).not.toMatch(/^[-+] \w+: *$/m);
  });

  it('lists commits, shows the past, and compares', async () => {
    const commits = (await json(at('log', 'notes'))) as { hash: string; kind: string; step: number | null }[];
    expect(commits.map(({ kind }) => kind)).toEqual(['step', 'step', 'step', 'variables', 'created']);
    const first = commits.find(({ step }) => step === 1)?.hash ?? '';
    const [log, text, past, value, changes, record] = await Promise.all([
      statekHere(at('log', 'notes', '-n', '2')),
      statekHere(at('at', 'notes', first.slice(0, 10))),
      json(at('at', 'notes', first)),
      statekHere(at('at', 'notes', 'HEAD~1', '-c', 'words.length + note.text.length')),
      statekHere(at('diff', 'notes', first.slice(0, 10), 'HEAD~1')),
      json(at('diff', 'notes', first)),
    ]);
    expect(log.stdout.trim().split('\n')).toHaveLength(3);
    expect(text.stdout).toMatch(/words +\['buy', 'milk'\]/);
    expect(past).toMatchObject({ commit: first, variables: { words: ['buy', 'milk'] }, console: ['words: 2'] });
    expect(value.stdout).toBe('11\n');
    expect(changes.stdout).toContain("- words = ['buy', 'milk']\n+ words = ['buy', 'milk', 'now']");
    expect(record).toMatchObject({
      from: first,
      changes: expect.arrayContaining([
        { name: 'words', change: 'changed', before: "['buy', 'milk']", after: "['buy', 'milk', 'now']" },
      ]) as unknown,
    });
  });

  it('forks and goes back', async () => {
    const fork = (await json(at('fork', 'notes', 'HEAD~1', '--name', 'what-if'))) as { workspace: string };
    expect(fork.workspace).toBe('what-if');
    const more = await json(at('run', '--workspace', 'what-if', '-c', `words.push('else'); words`));
    expect(more).toMatchObject({ status: 'done', value: ['buy', 'milk', 'now', 'else'] });
    const text = await statekHere(at('rollback', 'what-if', 'HEAD~1'));
    expect(text.stdout).toMatch(/^Rolled what-if back to [0-9a-f]{12}\.\n$/);
    expect(await json(at('locals', 'what-if', 'words'))).toEqual(['buy', 'milk', 'now']);
    expect(await json(at('rollback', 'what-if', 'HEAD~2'))).toMatchObject({ id: 'what-if' });
    expect((await statekHere(at('fork', 'what-if'))).stdout).toMatch(/^what-if-\w+\n$/);
  });
});

it('watches a job from its beginning, and all jobs from a revision', async () => {
  const [text, lines, some] = await Promise.all([
    statek(at('watch', 'double-4')),
    statekHere(at('watch', 'double-4', '--json')),
    statek(at('watch', '--since', '0', '--limit', '3', '--json')),
  ]);
  expect(text.stdout).toMatch(/submitted[\s\S]*started[\s\S]*done/);
  const events = lines.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { kind: string; revision: number });
  expect(events.map(({ kind }) => kind)).toEqual(['submitted', 'started', 'slice', 'step', 'done']);
  expect(some.stdout.trim().split('\n')).toHaveLength(3);
  const rest = await statekHere(at('watch', 'double-4', '--since', String(events[1]?.revision), '--json'));
  expect(
    rest.stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { kind: string }).kind),
  ).toEqual(['slice', 'step', 'done']);
});

it('collects garbage', async () => {
  const [text, report] = [
    await statekHere(at('gc')),
    await json(at('gc', '--keep-last', '1', '--keep-younger', '1ms', '--grace', '0s')),
  ];
  expect(text.stdout).toMatch(/commits dropped +0/);
  expect((report as { commitsDropped: number }).commitsDropped).toBeGreaterThan(0);
});
