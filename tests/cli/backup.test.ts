// statek backup, restore and copy: what waits in one store goes on in the other.
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { postgresForTests } from '../support/postgres.ts';
import { expectProcesses, json, openApplication, statekHere, temporaryFolder } from './support/statek.ts';

expectProcesses();

async function prepared(folder: string): Promise<string> {
  const store = join(folder, 'data');
  const kit = await openApplication(store);
  await kit.submit('asks', { id: 'a' });
  await kit.runUntilIdle();
  await kit.close();
  return store;
}

async function finished(store: string): Promise<unknown> {
  const kit = await openApplication(store);
  try {
    await kit.answer('a/1', 'Monday');
    await kit.runUntilIdle();
    return await (await kit.job('a')).result();
  } finally {
    await kit.close();
  }
}

it('backs up, backs up what changed, and restores both', async () => {
  const folder = temporaryFolder();
  const store = await prepared(folder);
  const [monday, tuesday] = [join(folder, 'monday.backup'), join(folder, 'tuesday.backup')];
  const full = (await json(['backup', monday, '--store', store])) as { revision: number; entries: number };
  expect(full.entries).toBeGreaterThan(10);
  const kit = await openApplication(store);
  await kit.submit('double', { id: 'd', vars: { n: 4 } });
  await kit.runUntilIdle();
  await kit.close();
  const next = await json(['backup', tuesday, '--since', monday, '--store', store]);
  expect(next).toMatchObject({ since: full.revision });
  const restored = join(folder, 'restored');
  const { code, stdout } = await statekHere(['restore', monday, tuesday, '--store', restored]);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/store +.*restored\nrevision +\d+\nentries +\d+\n/)]);
  expect(await json(['jobs', '--store', restored])).toMatchObject({ jobs: [{ id: 'd' }, { id: 'a' }] });
  expect(await finished(restored)).toBe('on Monday');

  // With a bar on a terminal.
  const again = await statekHere(['restore', monday, '--store', join(folder, 'again')], { typed: '' });
  expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('restore █') as unknown });
});

it('refuses what is damaged, missing, not empty, or a gap, and says what to do', async () => {
  const folder = temporaryFolder();
  const store = await prepared(folder);
  const file = join(folder, 'full.backup');
  await json(['backup', file, '--store', store]);
  const bytes = await readFile(file);
  const damaged = join(folder, 'damaged.backup');
  await writeFile(damaged, bytes.subarray(0, bytes.length / 2));
  const target = join(folder, 'target');
  const said = async (...words: string[]): Promise<string> => {
    const { code, stderr } = await statekHere(words);
    expect(code).not.toBe(0);
    return stderr;
  };
  expect(await said('restore', damaged, '--store', target)).toMatch(
    /ARCHIVE_DAMAGED: .*damaged\.backup .* it is cut off/,
  );
  const unused = join(folder, 'unused');
  expect(await said('restore', join(folder, 'none'), '--store', unused)).toMatch(
    /Cannot use .*none: there is no such file or folder/,
  );
  await writeFile(join(folder, 'garbage'), 'garbage');
  expect(await said('restore', join(folder, 'garbage'), '--store', unused)).toMatch(/ARCHIVE_DAMAGED/);
  expect(existsSync(unused)).toBe(false);
  expect(await said('backup', join(folder, 'x'), '--since', join(folder, 'none'), '--store', store)).toMatch(
    /Cannot use .*none: there is no such file/,
  );
  expect(await said('copy', store, store)).toMatch(/STORE_NOT_EMPTY: The store .*data is not empty/);
  expect(await said('restore', file, '--store', store)).toMatch(/STORE_NOT_EMPTY: .*Choose a new location/);
  expect(await said('restore', file, file, '--store', target)).toMatch(/BACKUP_CHAIN/);
  expect(await said('backup', file, '--store', store)).toMatch(/BACKUP_EXISTS/);
  expect(await said('backup', join(folder, 'x'), '--store', join(folder, 'nothing'))).toMatch(/NOT_FOUND/);
  expect(await said('backup', join(folder, 'x'), '--since', '100000', '--store', store)).toMatch(/STORE_ARGUMENT/);
  // It can still be filled.
  expect(await json(['restore', file, '--store', target])).toMatchObject({ removed: 0 });
});

it('rehearses a collection on a copy', async () => {
  const store = await prepared(temporaryFolder());
  const kit = await openApplication(store);
  const workspace = await kit.workspace('w');
  for (let step = 0; step < 5; step++) await workspace.run(`globalThis.x = ${step}`);
  const commits = (await workspace.commits()).length;
  await kit.close();
  const words = ['gc', '--keep-last', '1', '--store', store];
  const would = await json([...words, '--dry-run']);
  expect(would).toMatchObject({ dryRun: true, commitsDropped: expect.any(Number) as unknown });
  const again = await openApplication(store);
  expect((await (await again.workspace('w')).commits()).length).toBe(commits);
  await again.close();
  // It really does what was said.
  const { dryRun: _, ...report } = would as Record<string, unknown>;
  const { commitsDropped, packsRemoved, bytesFreed } = report;
  expect(await json([...words, '--shrink'])).toMatchObject({ commitsDropped, packsRemoved, bytesFreed });
  expect(commitsDropped).toBeGreaterThan(3);
});

const server = await postgresForTests();

it.skipIf(server === undefined)('copies a folder to PostgreSQL and back', async () => {
  if (server === undefined) return;
  const folder = temporaryFolder();
  const store = await prepared(folder);
  const { schema, drop } = await server.freshSchema();
  const url = `${server.url}?schema=${schema}`;
  const back = join(folder, 'back');
  try {
    const there = (await json(['copy', store, url])) as { revision: number; entries: number };
    expect(await json(['copy', url, back])).toMatchObject({ revision: there.revision, entries: there.entries });
    expect(await finished(url)).toBe('on Monday');
    expect(await finished(back)).toBe('on Monday');
  } finally {
    await drop();
  }
});
