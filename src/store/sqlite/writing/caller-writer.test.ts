import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { recordCollection } from '../../collection.ts';
import { encodeKey } from '../../key.ts';
import type { PlainTransaction } from '../../engine/plan.ts';
import type { DatabaseSettings } from '../database.ts';
import { CallerWriter } from './caller-writer.ts';
import { Writer } from './writer.ts';

const notes = recordCollection<string>('notes');

interface Stage {
  readonly settings: DatabaseSettings;
  readonly thread: Writer;
  readonly caller: CallerWriter;
  put(number: number, text?: string): PlainTransaction;
  /** Commits alone until the caller's thread does it. */
  becomeLonely(): void;
}

function stage(): Stage {
  const folder = mkdtempSync(join(tmpdir(), 'statek-caller-'));
  const settings: DatabaseSettings = {
    file: join(folder, 'statek.db'),
    durability: 'full',
    busyMilliseconds: 10_000,
    cacheMegabytes: 1,
  };
  const thread = new Writer(settings);
  const caller = new CallerWriter(settings, () => thread.checkpoint());
  onTestFinished(() => {
    caller.close();
    thread.close();
    rmSync(folder, { recursive: true });
  });
  const [known] = thread.declare([notes]);
  const put = (number: number, text = 'x'): PlainTransaction => ({
    checks: [],
    leases: [],
    writes: [{ collection: known?.id as never, key: encodeKey([number]), value: JSON.stringify(text) }],
  });
  return {
    settings,
    thread,
    caller,
    put,
    becomeLonely: () => {
      for (let number = 0; number < 10; number++) {
        const group = [put(number)];
        if (caller.commit(group) !== undefined) return;
        thread.commit(group);
      }
      throw new Error('The caller never commits.');
    },
  };
}

it('commits by itself when nobody else commits at the same time, and what it commits is there', () => {
  const { caller, thread, put, becomeLonely } = stage();
  expect(caller.commit([put(1)])).toBeUndefined();
  becomeLonely();
  const [outcome] = caller.commit([put(100)]) ?? [];
  expect(outcome).toMatchObject({ status: 'committed' });
  const [next] = thread.commit([put(101)]);
  expect((next as { revision: number }).revision).toBe((outcome as { revision: number }).revision + 1);
});

it('leaves groups of several, and large ones, to the thread', () => {
  const { caller, put, becomeLonely } = stage();
  becomeLonely();
  expect(caller.commit([put(1, 'x'.repeat(200_000))])).toBeUndefined();
  expect(caller.commit([put(1), put(2)])).toBeUndefined();
  // Others commit at the same time, so it does not for a while.
  expect(caller.commit([put(3)])).toBeUndefined();
});

it('does not wait for another process', () => {
  const { caller, settings, put, becomeLonely } = stage();
  becomeLonely();
  const other = new DatabaseSync(settings.file);
  onTestFinished(() => other.close());
  other.exec('BEGIN IMMEDIATE');
  expect(caller.commit([put(1)])).toBeUndefined();
  other.exec('ROLLBACK');
});

it('goes to the thread now and then, to see whether others commit', () => {
  const { caller, thread, put, becomeLonely } = stage();
  becomeLonely();
  let handedOver = 0;
  for (let number = 0; number < 500; number++) {
    if (caller.commit([put(number)]) !== undefined) continue;
    thread.commit([put(number)]);
    handedOver++;
  }
  expect(handedOver).toBeGreaterThan(0);
});
