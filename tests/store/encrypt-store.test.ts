// A store that has data is encrypted into another one: the same jobs go on there, and nothing of them can be read on the disk.
import { execFile, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { openEncrypted, program, Statek } from '../../src/index.ts';
import { openPostgres } from '../../src/store/postgres/open.ts';
import { backupStore, copyStore, encryptStore, openStore, restoreStore, type Store } from '../../src/store.ts';
import { postgresForTests } from '../support/postgres.ts';
import { storeFolder } from '../workspace/support/kits.ts';

const secret = 'nobody-else-reads-this';
const key = randomBytes(32);
const postgres = await postgresForTests();
const trips = (['typescript', 'python'] as const).map((language) =>
  program<string>({
    role: language,
    language,
    source:
      language === 'python'
        ? `street = '${secret}'\nday = ask(street)\nstreet + day`
        : `const street = '${secret}'; const day = await ask(street); street + day`,
  }),
);

/** A store with jobs that wait, in both languages. */
async function furnished(): Promise<string> {
  const folder = storeFolder();
  const kit = await Statek.open({ store: folder, drivers: trips });
  for (const trip of trips) await kit.submit(trip, { id: trip.role });
  await kit.state.save('note', { secret });
  await kit.runUntilIdle();
  await kit.close();
  return folder;
}

async function goesOn(store: Store): Promise<unknown[]> {
  const kit = await Statek.open({ store, drivers: trips });
  const results: unknown[] = [await kit.state.get('note')];
  for (const { role } of trips) {
    await kit.answer(`${role}/1`, '!');
    results.push(await (await kit.job(role)).result());
  }
  await kit.close();
  await store.close();
  return results;
}

const expected = [{ secret }, `${secret}!`, `${secret}!`];

function readable(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && readFileSync(join(folder, entry.name)).includes(secret))
    .map(({ name }) => name);
}

it('encrypts what is there, also after it was killed half-way', async () => {
  const [from, to] = [await furnished(), storeFolder()];
  expect(readable(from)).not.toEqual([]);
  const child = fork(join(import.meta.dirname, 'support/encrypt-child.ts'), [from, to, key.toString('base64')]);
  await once(child, 'message');
  child.kill('SIGKILL');
  await once(child, 'exit');
  const [source, target] = [await openStore(from), await openStore(to)];
  expect(await target.revision()).toBe(0);
  const revision = await source.revision();
  const report = await encryptStore(source, target, { key });
  // The row with the data key is one more commit.
  expect(report.revision).toBe(revision + 1);
  await source.close();
  await target.close();
  expect(readable(to)).toEqual([]);
  await expect(Statek.open({ store: to })).rejects.toMatchObject({ code: 'STORE_KEY' });
  await expect(openEncrypted(to, { key: randomBytes(32) })).rejects.toMatchObject({ code: 'STORE_KEY' });
  expect((await (await openEncrypted(to, { key })).verify()).problems).toEqual([]);
  expect(await goesOn(await openEncrypted(to, { key }))).toEqual(expected);
});

it('gives an encrypted store a new data key, on another engine, and its backups can be restored', async () => {
  const from = await furnished();
  const [plain, first] = [await openStore(from), await openStore('memory:')];
  await encryptStore(plain, first, { key });
  await plain.close();
  const opened = await openEncrypted(first, { key });
  const next = randomBytes(32);
  const place = await postgres?.freshSchema();
  if (place !== undefined) onTestFinished(place.drop);
  const second =
    postgres === undefined || place === undefined
      ? await openStore('memory:')
      : await openPostgres(postgres.url, { schema: place.schema, allowUnsafeServer: true });
  // Its values would be encrypted twice.
  await expect(encryptStore(first, second, { key: next })).rejects.toMatchObject({ code: 'STORE_KEY' });
  await encryptStore(opened, second, { key: next });
  await expect(openEncrypted(second, { key })).rejects.toMatchObject({ code: 'STORE_KEY' });
  const file = join(storeFolder(), 'backup');
  await backupStore(second, file);
  expect(readFileSync(file).includes(secret)).toBe(false);
  const [copy, restored] = [await openStore('memory:'), await openStore('memory:')];
  await copyStore(second, copy);
  await restoreStore(restored, file);
  for (const store of [copy, restored])
    expect(await goesOn(await openEncrypted(store, { key: next }))).toEqual(expected);
  expect(await goesOn(await openEncrypted(second, { key: next }))).toEqual(expected);
  await Promise.all([first, second, copy, restored].map((store) => store.close()));
});

it('works from the command line, with the key in a file', async () => {
  const [from, to] = [await furnished(), storeFolder()];
  const file = join(storeFolder(), 'key');
  writeFileSync(file, `${key.toString('base64')}\n`, { mode: 0o600 });
  const main = join(import.meta.dirname, '../../src/cli/main.ts');
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, [main, 'encrypt', from, to, '--key-file', file, '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ from, to, damaged: [] });
  expect(stdout).not.toContain(key.toString('base64'));
  expect(await goesOn(await openEncrypted(to, { key }))).toEqual(expected);
  writeFileSync(file, 'too short');
  const refused = run(process.execPath, [main, 'encrypt', from, storeFolder(), '--key-file', file]);
  await expect(refused).rejects.toMatchObject({ stderr: expect.stringMatching(/has no key: 32 bytes/) as unknown });
});
