// A session's lock is there while it is held, and gone when it is not.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../tests/store/support/temporary-folder.ts';
import { isSessionDead, SessionLock } from './session-lock.ts';

test('a session that is held is not gone, one that was released is', () => {
  const file = join(temporaryFolder(), 'statek.db');
  const lock = new SessionLock(file, 'aaaa');
  expect(isSessionDead(file, 'aaaa')).toBe(false);
  // Having asked does not release it.
  expect(isSessionDead(file, 'aaaa')).toBe(false);
  lock.release();
  expect(isSessionDead(file, 'aaaa')).toBe(true);
});

test('what a dead process left behind is removed by the next session', () => {
  const file = join(temporaryFolder(), 'statek.db');
  mkdirSync(`${file}-sessions`);
  writeFileSync(join(`${file}-sessions`, 'dead.lock'), '');
  const first = new SessionLock(file, 'aaaa');
  const second = new SessionLock(file, 'bbbb');
  expect(readdirSync(`${file}-sessions`).toSorted()).toEqual(['aaaa.lock', 'bbbb.lock']);
  first.release();
  second.release();
  expect(readdirSync(`${file}-sessions`)).toEqual([]);
});
