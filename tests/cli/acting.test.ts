// Commands that change something: each is a durable change that whoever works on the job sees.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { ManualClock } from '../../src/base/clock.ts';
import { program, Statek } from '../../src/index.ts';
import { hotRows } from '../../src/kit/hot-objects.ts';
import { expectProcesses, json, openApplication, printed, start, statek, statekHere } from './support/statek.ts';

expectProcesses();

const folder = mkdtempSync(join(tmpdir(), 'statek-cli-'));
const store = join(folder, 'data');
const at = (...words: string[]): string[] => [...words, '--store', store];
/** Brings jobs as far as they go, in this process: only what a test is about is typed. */
const work = async (prepare: (kit: Statek) => Promise<unknown> = () => Promise.resolve()): Promise<void> => {
  const kit = await openApplication(store);
  try {
    await prepare(kit);
    await kit.runUntilIdle();
  } finally {
    await kit.close();
  }
};
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('runs code in a workspace, which keeps its variables', async () => {
  const file = join(folder, 'first.ts');
  writeFileSync(file, `const rows: number[] = [1, 2, 3];\nprint('rows', rows.length);\nrows.map((n) => n * factor)`);
  const first = await statek(at('run', file, '--workspace', 'sums', '--vars', '{"factor":10}'));
  expect(first).toMatchObject({ code: 0, stdout: 'rows 3\n[10, 20, 30]\n', stderr: '' });
  const [more, piped, failed, greeting] = [
    await json(at('run', '-w', 'sums', '-c', 'rows.push(factor); await sleep(5); rows.length')),
    await statek(at('run', '-', '-w', 'sums'), { input: 'rows.at(-1)' }),
    await statek(at('run', '-w', 'sums', '-c', 'rows.missing()')),
    await statekHere(at('run', '-w', 'greet', '--use', 'greeter', '-c', `greeter.hello('Ann')`)),
  ];
  expect(more).toMatchObject({ workspace: 'sums', step: 2, status: 'done', value: 4 });
  expect(piped.stdout).toBe('10\n');
  expect(failed).toMatchObject({ code: 1, stdout: '' });
  expect(failed.stderr).toMatch(/TypeError: .*line 1/);
  expect(greeting.stdout).toBe('hello Ann\n');
});

it('follows a job of a role or of an agent to its end', async () => {
  const [text, record, failed] = await Promise.all([
    statek(at('run', '--role', 'clerk', '--message', 'Count.')),
    json(at('run', '--role', 'double', '--vars', '{"n":5}', '--label', 'a', '--label', 'b')),
    statek(at('run', '--role', 'fails', '--json')),
  ]);
  expect(text).toMatchObject({ code: 0, stdout: '7\n' });
  expect(text.stderr).toMatch(/job [0-9a-f-]{36}\n[\s\S]*started/);
  expect(record).toMatchObject({ role: 'double', outcome: 'completed', result: 10, labels: ['a', 'b'] });
  expect(failed.code).toBe(1);
  expect(JSON.parse(failed.stdout)).toMatchObject({
    outcome: 'failed',
    error: { name: 'RangeError', message: 'too many' },
  });
});

it('answers, approves, denies and signals', async () => {
  await json(at('run', '--role', 'pays', '--id', 'pays-1', '--use', 'pay', '--detach'));
  await work(async (kit) => {
    for (const id of ['asks-1', 'asks-2', 'consents-1', 'consents-2', 'listens-1'])
      await kit.submit(id.split('-')[0] ?? '', { id });
  });
  const [seen, record, shown] = await Promise.all([
    statekHere(at('waiting', 'pays-1', '--store-only')),
    json(at('waiting', 'pays-1')),
    statekHere(at('show', 'pays-1')),
  ]);
  expect(seen.stdout).toMatch(/pays-1 +pays +pay\(20\) .*approve pays-1\/1/);
  expect(record).toMatchObject([{ id: 'pays-1/1', undecided: true, text: 'pay(20)', arguments: [20] }]);
  expect(shown.stdout).toMatch(
    /waits for pay\(20\) at step 1, line \d+:\d+; to continue: statek approve pays-1\/1, or deny/,
  );
  const said = await Promise.all([
    statekHere(at('answer', 'asks-1', 'Thursday')),
    json(at('answer', 'asks-2/1', '{"day":"Friday"}', '--data')),
    statekHere(at('approve', 'consents-1', '--by', 'Ann', '--comment', 'fine')),
    json(at('deny', 'consents-2', 'not today', '--by', 'Bob')),
    json(at('approve', 'pays-1')),
    statekHere(at('signal', 'bell', '[1,2]', '--data')),
  ]);
  expect(said[0]).toMatchObject({ code: 0, stdout: 'Answered asks-1/1: Which day?\n' });
  expect(said[1]).toEqual({ id: 'asks-2/1', kind: 'ask', text: 'Which day?', value: { day: 'Friday' } });
  expect(said[2]).toMatchObject({ code: 0, stdout: 'Approved consents-1/1: Order pizza?\n' });
  expect(said[3]).toMatchObject({ id: 'consents-2/1', kind: 'approve', approved: false });
  expect(said[4]).toMatchObject({ id: 'pays-1/1', approved: true, text: 'pay(20)', arguments: [20] });
  expect(said[5]).toMatchObject({ code: 0, stdout: 'Sent bell with the data [1,2].\n' });
  const again = await statekHere(at('answer', 'asks-1/1', 'Friday'));
  expect(again).toMatchObject({ code: 4, stdout: '' });
  expect(again.stderr).toMatch(/^WORKSPACE_STATE: .*answered already/);
  await work();
  const results = await Promise.all(
    ['asks-1', 'consents-1', 'consents-2', 'pays-1', 'listens-1'].map(
      async (id) => (await json(at('show', id))) as { result?: unknown; error?: { message: string } | null },
    ),
  );
  expect(results.map(({ result, error }) => result ?? error?.message)).toEqual([
    'on Thursday',
    'ordered',
    expect.stringContaining('not today'),
    'paid 20',
    [1, 2],
  ]);
  expect((await statekHere(at('signal', 'later', '--json'))).code).toBe(0);
});

it('sends a number for 41 and a text for "41", and says which it was', async () => {
  await work(async (kit) => {
    for (const id of ['listens-5', 'listens-6', 'listens-7', 'listens-8']) await kit.submit('listens', { id });
  });
  const said: string[] = [];
  for (const payload of ['41', '"41"', 'ding dong', 'true'])
    said.push((await statekHere(at('signal', 'bell', payload))).stdout);
  expect(said).toEqual([
    'Sent bell with the number 41.\n',
    'Sent bell with the string "41".\n',
    'Sent bell with the string "ding dong".\n',
    'Sent bell with true.\n',
  ]);
  expect((await statekHere(at('signal', 'nobody-waits'))).stdout).toBe('Sent nobody-waits.\n');
  expect((await statekHere(at('signal', 'bell', 'no json', '--data'))).code).toBe(2);
  await work();
  const results = await Promise.all(
    [5, 6, 7, 8].map(async (number) => ((await json(at('show', `listens-${number}`))) as { result: unknown }).result),
  );
  expect(results).toEqual([41, '41', 'ding dong', true]);
});

it('lists workspaces and deletes them', async () => {
  await json(at('run', '-w', 'draft', '-c', 'const pages = 3;'));
  await json(at('run', '-w', 'draft-2', '-c', 'const pages = 4;'));
  await statekHere(at('run', '-w', 'waits-2', '--detach', '-c', 'await ask("Who?")'));
  await json(at('run', '--role', 'double', '--vars', '{"n":5}', '--id', 'double-5'));
  const listed = (await json(at('workspaces'))) as { workspaces: { id: string; status: string; steps: number }[] };
  const ids = listed.workspaces.map(({ id }) => id);
  expect(ids).toEqual(expect.arrayContaining(['draft', 'draft-2', 'waits-2']));
  expect(ids).not.toContain('double-5');
  expect(listed.workspaces.find(({ id }) => id === 'waits-2')).toMatchObject({ status: 'waits in step 1', steps: 1 });
  expect((await statekHere(at('workspaces', '--all'))).stdout).toMatch(/^double-5 +typescript +idle/m);
  const page = (await json(at('workspaces', '--limit', '1'))) as { workspaces: { id: string }[]; after: string };
  expect(page).toMatchObject({ workspaces: [{ id: ids[0] }], after: ids[0] });
  expect(await json(at('workspaces', '--limit', '1', '--after', page.after))).toMatchObject({
    workspaces: [{ id: ids[1] }],
  });
  // A name is not shortened where what is done cannot be taken back.
  expect((await statekHere(at('delete', 'draf'))).code).toBe(3);
  expect(await statekHere(at('delete', 'draft', 'waits-2'))).toMatchObject({
    code: 0,
    stdout: 'draft: deleted\nwaits-2: deleted\n',
  });
  expect((await statekHere(at('show', 'waits-2'))).code).toBe(3);
  expect(await json(at('locals', 'draft-2', 'pages'))).toBe(4);
  await json(at('gc', '--grace', '0s'));
  expect(await json(at('run', '-w', 'draft', '-c', 'typeof pages'))).toMatchObject({ value: 'undefined' });
});

it('says, pauses and resumes', async () => {
  await work((kit) => kit.submit('talker', { id: 'talker-1', message: 'one' }));
  expect(await json(at('pause', 'talker-1'))).toMatchObject({ paused: true });
  expect((await statekHere(at('say', 'talker-1', 'two'))).stdout).toBe('talker-1: SUSPENDED paused\n');
  expect((await statekHere(at('resume', 'talker-1'))).stdout).toMatch(/^talker-1: SUSPENDED\n$/);
  await json(at('say', 'talker-1', '"enough"', '--data'));
  await work();
  expect(await json(at('show', 'talker-1'))).toMatchObject({ status: 'DONE', result: ['one', 'two', 'enough'] });
});

it('cancels, retries and deletes', async () => {
  await work(async (kit) => {
    for (const id of ['listens-2', 'listens-3']) await kit.submit('listens', { id });
  });
  const refused = await statekHere(at('delete', 'listens-2'));
  expect(refused).toMatchObject({ code: 4, stdout: '' });
  expect(refused.stderr).toMatch(/^JOB_STATE: .*Cancel it first/);
  expect((await statekHere(at('cancel', 'listens-2', 'listens-3', '--reason', 'no bell'))).stdout).toBe(
    'listens-2: is being cancelled\nlistens-3: is being cancelled\n',
  );
  await work();
  expect(await json(at('show', 'listens-3'))).toMatchObject({ outcome: 'cancelled' });
  expect(await json(at('retry', 'listens-3', '--id', 'listens-4'))).toMatchObject({
    id: 'listens-3',
    again: 'listens-4',
  });
  expect((await statekHere(at('retry', 'talker-1'))).stdout).toMatch(/^talker-1: submitted again as [0-9a-f-]{36}\n$/);
  await json(at('signal', 'bell', 'ding'));
  await work();
  expect(await json(at('show', 'listens-4'))).toMatchObject({ result: 'ding' });
  const repeated = (await json(at('jobs', '--role', 'talker', '--status', 'SUSPENDED'))) as { jobs: unknown[] };
  expect(repeated.jobs).toHaveLength(1);
  const both = await statekHere(at('delete', 'listens-2', 'nobody', 'listens-3'));
  expect(both).toMatchObject({ code: 3, stdout: 'listens-2: deleted\nlistens-3: deleted\n' });
  expect(await json(at('delete', 'listens-4'))).toMatchObject({ deleted: true });
  expect((await statekHere(at('show', 'listens-3'))).code).toBe(3);
});

it('leaves what waits in the store when it is interrupted, and ends with 130', async () => {
  const child = start(at('run', '-w', 'waits', '-c', `const day = await ask('Which day?'); day`));
  await printed(child, 'statek answer waits/1 TEXT');
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  child.kill('SIGINT');
  expect(await ended).toBe(130);
  expect((await statek(at('answer', 'waits', 'Monday'))).code).toBe(0);
  await work();
  expect(await json(at('locals', 'waits', 'day'))).toBe('Monday');
});

it('runs jobs in a workspace they are given, and lists those of it', async () => {
  expect((await statekHere(at('run', '-w', 'sums', '-c', 'const n = 4; n'))).stdout).toBe('4\n');
  const [first, second] = [
    await json(at('run', '--role', 'double', '--workspace', 'sums', '--id', 'd1')),
    await json(at('run', '--role', 'double', '-w', 'sums', '--id', 'd2', '--vars', '{"n":5}')),
  ];
  expect([first, second]).toMatchObject([{ result: 8 }, { result: 10 }]);
  await json(at('run', '--role', 'double', '--id', 'd3', '--vars', '{"n":6}'));
  const listed = (await json(at('jobs', '--workspace', 'sums'))) as { jobs: { id: string }[] };
  expect(listed.jobs.map(({ id }) => id).toSorted()).toEqual(['d1', 'd2']);
  expect(await json(at('jobs', '-w', 'nobody'))).toMatchObject({ jobs: [] });
  expect((await statekHere(at('run', '-w', 'sums', '-c', 'n'))).stdout).toBe('5\n');
});

it('moves a job through a file', async () => {
  const file = join(folder, 'moved.statek');
  await work(async (kit) => void (await kit.submit('asks', { id: 'moved' })));
  const wrote = await statekHere(at('export', 'moved', '--output', file, '--secrets'));
  expect([wrote.code, wrote.stdout.trim()]).toEqual([0, file]);
  const other = ['--store', join(folder, 'other')];
  expect(await json(['import', file, ...other])).toMatchObject({ job: 'moved', status: 'SUSPENDED', paused: true });
  const again = await statek(['import', file, ...other]);
  expect([again.code, again.stderr]).toEqual([4, expect.stringMatching(/There is a job 'moved' already/)]);
  writeFileSync(join(folder, 'broken.statek'), 'nothing of the kind');
  const broken = await statek(['import', join(folder, 'broken.statek'), ...other]);
  expect([broken.code, broken.stderr]).toEqual([
    1,
    expect.stringMatching(/not an archive of Statek, or it is damaged/),
  ]);
  expect((await statek(['import', join(folder, 'none.statek'), ...other])).code).toBe(2);
  expect((await statekHere(at('export', 'moved', '--json'))).code).toBe(2);
  const nowhere = await statekHere(at('export', 'moved', '--output', join(folder, 'no-such-folder', 'moved.statek')));
  expect([nowhere.code, nowhere.stderr]).toEqual([2, expect.stringMatching(/^USAGE: Cannot write .*no-such-folder/)]);
  const [found, watched, compared] = await Promise.all([
    statekHere(['find', 'moved', '-e', 'true', ...other, '--json']),
    json(['watch', 'moved', '-e', '1 + 1', ...other]),
    statekHere(['compare', 'moved', 'moved', ...other]),
  ]);
  expect(JSON.parse(found.stdout)).toMatchObject({ found: { sequence: 0 } });
  expect(watched).toMatchObject({
    isSampled: false,
  });
  expect((watched as { values: { value: unknown }[] }).values.at(-1)?.value).toBe(2);
  expect(compared.stdout).toMatch(/Variables \(0 differ\)/);
  const forked = await json(['fork', 'moved', '--name', 'moved-2', '--set', 'extra={"a":1}', ...other]);
  expect(forked).toMatchObject({ workspace: 'moved-2' });
  expect(await json(['locals', 'moved-2', ...other])).toMatchObject({ extra: { a: 1 } });
  writeFileSync(join(folder, 'extra.json'), '{"b":2}');
  writeFileSync(join(folder, 'note.txt'), 'Dear all');
  const files = ['--set', `extra=@${join(folder, 'extra.json')}`, '--set', `note=@${join(folder, 'note.txt')}`];
  await json(['fork', 'moved', '--name', 'moved-3', ...files, '--set', 'at="@home"', ...other]);
  expect(await json(['locals', 'moved-3', ...other])).toMatchObject({
    extra: { b: 2 },
    note: 'Dear all',
    at: '@home',
  });
  expect((await statekHere(['fork', 'moved', '--set', 'extra=@no-such-file', ...other])).code).toBe(2);
  expect((await statekHere(['find', 'moved', ...other])).code).toBe(2);
  const misspelt = await statekHere(['find', 'moved', '-e', 'extar > 1', ...other]);
  expect([misspelt.code, misspelt.stderr]).toEqual([1, expect.stringMatching(/no value at any.*extar is not defined/)]);
  expect((await statekHere(['fork', 'moved', '--set', 'nonsense', ...other])).code).toBe(2);
});

it('limits tenants, and lists what they use', async () => {
  await work(
    async (kit) => void (await kit.submit('double', { id: 'of-beta', vars: { n: 1 }, labels: ['tenant:beta'] })),
  );
  const set = await json(at('tenants', 'limit', 'acme', '--jobs-at-once', '2', '--cost-per-day', '1.5'));
  const usage = { jobsAtOnce: 0, tokens: 0, cost: 0, bytes: 0 };
  expect(set).toEqual({ name: 'acme', limits: { jobsAtOnce: 2, costPerDay: 1.5 }, usage });
  const all = (await json(at('tenants', 'list'))) as { name: string; limits: object }[];
  expect(all).toMatchObject([
    { name: 'acme', limits: { jobsAtOnce: 2 } },
    { name: 'beta', limits: {} },
  ]);
  expect((await statekHere(at('tenants', 'list'))).stdout).toMatch(/acme .*\$0\.0000.*jobsAtOnce 2, costPerDay 1\.5/);
  const wrong = await statekHere(at('tenants', 'limit', 'acme', '--bytes', 'many'));
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("'many' is not a size")]);
  expect(await json(at('tenants', 'limit', 'acme', '--bytes', '5gb'))).toMatchObject({
    limits: { bytes: 5 * 2 ** 30 },
  });
  const misplaced = [at('tenants', 'show', 'acme', '--bytes', '1'), at('tenants', 'list', 'acme')];
  for (const words of misplaced) expect((await statekHere(words)).code).toBe(2);
});

it('names slow slices and hot objects to the doctor', async () => {
  const place = join(folder, 'slow');
  const long = program({ role: 'long', source: '1' });
  const kit = await Statek.open({ store: place, drivers: [long], slowSliceMilliseconds: 0 });
  await kit.submitAll(
    'long',
    Array.from({ length: 20 }, (_, n) => ({ id: `long-${n}` })),
  );
  await kit.runUntilIdle();
  await kit.store.declare(hotRows);
  const key = [Math.floor(Date.now() / 3_600_000), 'another process'];
  const value = { objects: [{ id: 'account1', type: 'Account', conflicts: 7 }] };
  await kit.store.commit([{ writes: [{ kind: 'put', collection: hotRows, key, value }] }]);
  await kit.close();
  const { findings } = (await json(['doctor', '--store', place])) as { findings: { name: string }[] };
  const worst = /^20 in the last day: .* in step 1 of long-\d+ \('long'\), commit [0-9a-f]{12}/;
  expect(findings.find(({ name }) => name === 'slow slices')).toMatchObject({
    status: 'warn',
    text: expect.stringMatching(worst) as string,
  });
  expect(findings.find(({ name }) => name === 'hot objects')).toEqual({
    name: 'hot objects',
    status: 'ok',
    text: 'in the last day: Account account1 (7 conflicts)',
  });
});

it('keeps schedules', async () => {
  const set = [
    'schedules',
    'set',
    'nightly',
    '--cron',
    '30 2 * * *',
    '--time-zone',
    'Europe/Berlin',
    '--role',
    'double',
  ];
  expect(await json(at(...set, '--vars', '{"n":21}'))).toMatchObject({ name: 'nightly', fired: 0, paused: false });
  const { job } = (await json(at('schedules', 'run', 'nightly'))) as { job: string };
  await work();
  expect(await json(at('show', job))).toMatchObject({ result: 42 });
  const [listed, shown] = await Promise.all([
    statekHere(at('schedules', 'list')),
    statekHere(at('schedules', 'show', 'nightly')),
  ]);
  expect(listed.stdout).toMatch(/nightly +double +30 2 \* \* \* Europe\/Berlin .* 1 +0/);
  expect(shown.stdout).toMatch(/last job +nightly@/);
  const misplaced = await statekHere(at('schedules', 'pause', 'nightly', '--time-zone', 'UTC'));
  expect([misplaced.code, misplaced.stderr]).toEqual([2, expect.stringContaining('set has it')]);
  await json(at('schedules', 'pause', 'nightly'));
  expect((await statekHere(at('schedules', 'list'))).stdout).toMatch(/paused/);
  await json(at('schedules', 'delete', 'nightly'));
  const [gone, wrong, unknown] = await Promise.all([
    statekHere(at('schedules', 'show', 'nightly')),
    statekHere(at('schedules', 'set', 'x', '--cron', 'often', '--role', 'double')),
    statekHere(at('schedules', 'start')),
  ]);
  expect([gone.code, wrong.code, unknown.code]).toEqual([3, 2, 2]);
  expect(wrong.stderr).toMatch(/'often' is not a cron expression/);
});

it('shows what is quarantined, tries it again and drops it', async () => {
  const clock = new ManualClock(1000);
  const place = join(folder, 'quarantine');
  const service = { look: () => 1 };
  const driver = program({ role: 'looks', source: 'service.look()' });
  const full = await Statek.open({ store: place, drivers: [driver], services: { service }, clock });
  for (const id of ['one', 'two']) await full.submit(driver, { id, vars: { service } });
  await full.close();
  const poor = await Statek.open({ store: place, drivers: [driver], clock });
  for (let tries = 0; tries < 12; tries++) {
    await poor.runUntilIdle();
    clock.advance(60_000);
  }
  await poor.close();
  const on = (...words: string[]): string[] => [...words, '--store', place];
  expect(await json(on('quarantine', 'list'))).toMatchObject([{ id: 'two' }, { id: 'one' }]);
  const { retried } = (await json(on('quarantine', 'retry', 'one'))) as { retried: string[] };
  expect(await json(on('show', retried[0] ?? ''))).toMatchObject({ role: 'looks', status: 'READY' });
  expect(await json(on('quarantine', 'drop', '--all'))).toEqual({
    dropped: expect.arrayContaining(['one', 'two']) as unknown,
  });
  expect(await json(on('quarantine', 'list'))).toEqual([]);
  const wrong = await Promise.all(
    [
      on('quarantine', 'retry'),
      on('quarantine', 'eat'),
      on('quarantine', 'list', 'one'),
      on('quarantine', 'drop', retried[0] ?? ''),
    ].map((words) => statekHere(words)),
  );
  expect(wrong.map(({ code }) => code)).toEqual([2, 2, 2, 4]);
});
