// Damaged files of the embedded engine: what is read is true or an error, and `verify` finds what a read cannot notice.
//
// Every entry, log row and definition has a checksum, so nothing wrong is ever returned. What has none is SQLite's own
// structure: a damaged page of an index can hide entries from a read by key, and in rare cases from a scan. Nothing short
// of reading the whole file can notice that; `verify` does.
import { randomInt } from 'node:crypto';
import { copyFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { StatekError } from '../../src/base/error.ts';
import { recordCollection } from '../../src/store/collection.ts';
import { mustCommit } from '../../src/store/must-commit.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import type { VerifyReport } from '../../src/store/store.ts';
import { Random } from '../crash/random.ts';
import { furnish, furniture, readEverything } from './support/furnished-store.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const oldRevision = 60;
const pageBytes = 4096;

interface Examined {
  readonly read: readonly string[] | undefined;
  /** The code of what stopped the reading. */
  readonly code: string | undefined;
  readonly report: VerifyReport | undefined;
}

async function examine(file: string): Promise<Examined> {
  const codes: string[] = [];
  const attempt = async <Result>(action: () => Promise<Result>): Promise<Result | undefined> => {
    try {
      return await action();
    } catch (error) {
      if (!(error instanceof StatekError)) throw error;
      codes.push(error.code);
      return undefined;
    }
  };
  const store = await attempt(() => openSqlite(file, { durability: 'relaxed' }));
  const read = await attempt(async () => {
    await store?.declare(...furniture);
    return store && readEverything(store, oldRevision);
  });
  const report = await attempt(async () => store?.verify());
  await store?.close();
  return { read, code: codes[0], report };
}

test(
  'flipped bytes are never read as something else, and nothing goes missing that verify does not report',
  { timeout: 300_000 },
  async () => {
    const folder = temporaryFolder();
    const sound = join(folder, 'sound.db');
    await furnish(sound);
    const original = readFileSync(sound);
    const { read: truth = [], report } = await examine(sound);
    expect(report?.problems).toEqual([]);
    const seed = randomInt(2 ** 31);
    const random = new Random(seed);
    for (let round = 0; round < 20; round++) {
      const position = drawPosition(random, original.length);
      const mask = random.between(1, 255);
      const damaged = Buffer.from(original);
      damaged.writeUInt8(damaged.readUInt8(position) ^ mask, position);
      const file = join(folder, `${round}.db`);
      writeFileSync(file, damaged);
      const found = verdict(await examine(file), truth);
      expect(['true', 'refused', 'reported'], `byte ${position} changed by ${mask}, seed ${seed}`).toContain(found);
    }
  },
);

/** `reported`: something is missing, and `verify` says that the file is damaged. */
function verdict({ read, code, report }: Examined, truth: readonly string[]): string {
  if (code !== undefined)
    return ['STORE_CORRUPT', 'STORE_FOREIGN', 'STORE_NEWER'].includes(code) ? 'refused' : `failed with ${code}`;
  const known = new Set(truth);
  const wrong = read?.find((line) => !known.has(line));
  if (wrong !== undefined) return `wrong: ${wrong}`;
  if (read?.join('\n') === truth.join('\n')) return 'true';
  return report === undefined || report.problems.length > 0 ? 'reported' : 'missing';
}

// Anywhere, or where the structure of pages is, or in the schema.
function drawPosition(random: Random, length: number): number {
  const choice = random.fraction();
  if (choice < 0.4) return random.between(0, length - 1);
  if (choice < 0.8) return random.between(0, length / pageBytes - 1) * pageBytes + random.between(0, 40);
  return random.between(0, 2 * pageBytes - 1);
}

test('a file that was cut short is refused', { timeout: 300_000 }, async () => {
  const folder = temporaryFolder();
  const sound = join(folder, 'sound.db');
  await furnish(sound);
  const { length } = readFileSync(sound);
  const { read: truth = [] } = await examine(sound);
  for (const [index, size] of [length - 1, length - pageBytes, length >> 1, pageBytes, 100, 50].entries()) {
    const file = join(folder, `${index}.db`);
    copyFileSync(sound, file);
    truncateSync(file, size);
    const found = verdict(await examine(file), truth);
    expect(['refused', 'reported'], `${size} of ${length} bytes`).toContain(found);
  }
});

test('a damaged write-ahead log leaves an earlier state, whole', { timeout: 300_000 }, async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'live.db');
  const steps = recordCollection<number>('steps');
  const store = await openSqlite(file, { durability: 'relaxed' });
  await store.declare(steps);
  for (let step = 1; step <= 40; step++) {
    // Every commit changes one entry that all share and adds one.
    await mustCommit(store, {
      writes: [
        { kind: 'put', collection: steps, key: ['latest'], value: step },
        { kind: 'put', collection: steps, key: ['step', step], value: step },
      ],
    });
  }
  const log = readFileSync(`${file}-wal`);
  const seed = randomInt(2 ** 31);
  const random = new Random(seed);
  for (let round = 0; round < 8; round++) {
    const copy = join(folder, `${round}.db`);
    copyFileSync(file, copy);
    writeFileSync(`${copy}-wal`, damage(log, round % 4, random));
    const reopened = await openSqlite(copy, { durability: 'relaxed' });
    await reopened.declare(steps);
    const revision = await reopened.revision();
    const { entries } = await reopened.scan(steps, {});
    const expected = Array.from({ length: revision }, (_, index) => index + 1);
    const kept = entries.filter(({ key }) => key[0] === 'step').map(({ value }) => value);
    expect(kept, `round ${round}, seed ${seed}`).toEqual(expected);
    const latest = entries.find(({ key }) => key[0] === 'latest')?.value;
    expect(latest ?? 0, `round ${round}, seed ${seed}`).toBe(revision);
    expect((await reopened.verify()).problems).toEqual([]);
    await mustCommit(reopened, { writes: [{ kind: 'put', collection: steps, key: ['more'], value: 0 }] });
    await reopened.close();
  }
  await store.close();
});

/** Cut short, one byte flipped, the end overwritten with noise, or noise after the end. */
function damage(log: Buffer, way: number, random: Random): Buffer {
  const position = random.between(0, log.length - 1);
  const damaged = Buffer.from(log);
  const noise = Buffer.from(Array.from({ length: 9000 }, () => random.between(0, 255)));
  switch (way) {
    case 0:
      return damaged.subarray(0, position);
    case 1:
      damaged.writeUInt8(damaged.readUInt8(position) ^ random.between(1, 255), position);
      return damaged;
    case 2:
      noise.copy(damaged, position);
      return damaged;
    default:
      return Buffer.concat([damaged, noise]);
  }
}
