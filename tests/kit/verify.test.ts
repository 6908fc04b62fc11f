// kit.verify and statek verify name what is damaged or missing, and the job that it belongs to; the other jobs go on.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { jobRows } from '../../src/jobs/rows.ts';
import { program, Statek } from '../../src/index.ts';
import { encodeKey, type Key } from '../../src/store/key.ts';
import { workspaceRows } from '../../src/workspace/rows.ts';
import { statekHere } from '../cli/support/statek.ts';

const asks = program({ role: 'asks', source: `print('begun'); const day = await ask('Which day?'); 'on ' + day` });
const ids = ['a', 'b', 'c', 'd', 'e'];

async function prepared(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'statek-verify-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const kit = await Statek.open({ store: folder, drivers: [asks] });
  for (const id of ids) await kit.submit(asks, { id });
  await kit.runUntilIdle();
  expect(await kit.verify({ images: 'all' })).toMatchObject({ problems: [] });
  await kit.close();
  return folder;
}

function change(folder: string, sql: string, key: Key): void {
  const database = new DatabaseSync(join(folder, 'statek.db'));
  const { changes } = database.prepare(sql).run(Buffer.from(encodeKey(key), 'latin1'));
  database.close();
  expect(changes).toBeGreaterThan(0);
}

async function problemsOf(folder: string): Promise<readonly { job: string | undefined; what: string }[]> {
  const kit = await Statek.open({ store: folder, drivers: [asks] });
  try {
    return (await kit.verify()).problems;
  } finally {
    await kit.close();
  }
}

test('a damaged row is named with its job, and the rows around it are still checked', async () => {
  const folder = await prepared();
  change(folder, "UPDATE data_steps SET value = replace(value, 'begun', 'ended') WHERE key = ?", ['c', 1]);
  const problems = await problemsOf(folder);
  expect(problems).toEqual([{ job: 'c', what: expect.stringContaining('steps ["c", 1] is damaged') as unknown }]);
  // The others go on.
  const kit = await Statek.open({ store: folder, drivers: [asks] });
  for (const id of ['a', 'b', 'd', 'e']) await kit.answer(`${id}/1`, 'Monday');
  await kit.runUntilIdle();
  for (const id of ['a', 'b', 'd', 'e']) expect(await (await kit.job(id)).result()).toBe('on Monday');
  await kit.close();
});

test('rows that name missing ones', async () => {
  const folder = await prepared();
  change(folder, `DELETE FROM data_${workspaceRows.name} WHERE key = ?`, ['b']);
  change(folder, `DELETE FROM data_${jobRows.name} WHERE key = ?`, ['d']);
  const problems = await problemsOf(folder);
  expect(problems.filter(({ job }) => job === undefined)).toEqual([]);
  expect(new Set(problems.map(({ job }) => job))).toEqual(new Set(['b', 'd']));
  const texts = problems.map(({ what }) => what);
  expect(texts).toContain('jobs ["b"] needs workspaces ["b"], which is missing.');
  expect(texts).toContainEqual(expect.stringMatching(/^job_events \["d",.*needs jobs \["d"\], which is missing/));
});

test('an image that cannot be rebuilt', async () => {
  const folder = await prepared();
  const database = new DatabaseSync(join(folder, 'statek.db'));
  const packs = database.prepare('SELECT key FROM data_history_packs WHERE key >= ? AND key < ?');
  const [first] = packs.all(Buffer.from(encodeKey(['e']), 'latin1'), Buffer.from(encodeKey(['f']), 'latin1'));
  database.prepare('DELETE FROM data_history_packs WHERE key = ?').run(first?.['key'] as Uint8Array);
  database.close();
  const { code, stdout } = await statekHere(['verify', '--store', folder]);
  expect([code, stdout]).toEqual([1, expect.stringMatching(/^JOB +PROBLEM\ne +The history of 'e'/)]);
  const whole = await statekHere(['verify', '--store', await prepared()]);
  expect([whole.code, whole.stdout]).toEqual([0, expect.stringMatching(/images +5\nproblems +none/)]);
});
