// Syncs really happen: a kill leaves the page cache as it was, so here the power is cut, on a simulated disk.
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openWriter } from '../../src/store/sqlite/database.ts';
import { cutPower } from './power-loss/cuts.ts';
import { canTrace } from './power-loss/record.ts';
import { Random } from './random.ts';

describe.skipIf(!canTrace())('a power cut', () => {
  const seed = randomInt(2 ** 31);
  const random = new Random(seed);

  test('takes nothing that was acknowledged, and leaves nothing torn', { timeout: 300_000 }, async () => {
    const report = await cutPower({ durability: 'full', calls: 60, cuts: 12, random });
    expect(report.problems, `seed ${seed}`).toEqual([]);
    expect(report.acknowledgedAtCuts).toBeGreaterThan(0);
    expect(report.acknowledgements).toBeGreaterThan(20);
    expect(report.withoutSync, `seed ${seed}`).toBe(0);
  });

  test(
    'takes commits in relaxed mode, whole ones, which shows that the test can fail',
    { timeout: 300_000 },
    async () => {
      const report = await cutPower({ durability: 'relaxed', calls: 60, cuts: 8, random });
      expect(report.withoutSync).toBeGreaterThan(0);
      const kinds = new Set(report.problems.map(({ kind }) => kind));
      expect([...kinds], `seed ${seed}`).toEqual(['lost']);
    },
  );
});

test.each([
  ['full', 2],
  ['relaxed', 1],
] as const)(
  'the writing connection has the settings that %s durability rests on, also when reopened',
  (durability, synchronous) => {
    const folder = mkdtempSync(join(tmpdir(), 'statek-pragmas-'));
    try {
      for (let opening = 0; opening < 2; opening++) {
        const file = join(folder, 'statek.db');
        const database = openWriter(
          { file, durability, busyMilliseconds: 1000, cacheMegabytes: 1 },
          'with checkpoints',
        );
        expect(database.prepare('PRAGMA synchronous').get()).toEqual({ synchronous });
        expect(database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
        expect(database.prepare('PRAGMA fullfsync').get()).toEqual({ fullfsync: 1 });
        database.close();
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
