import { expect, it } from 'vitest';
import type { Conflict } from '../../store/store.ts';
import { Contention } from './contention.ts';

const over = (collection: string, key?: Conflict['key']): Conflict => ({
  kind: 'revision',
  collection,
  key,
  message: '',
});

it('counts objects and their parts, and nothing else', () => {
  const contention = new Contention();
  contention.note(over('objects', ['main', 'a']));
  contention.note(over('object_parts', ['main', 'a', 3]));
  contention.note(over('objects', ['other', 'a']));
  contention.note(over('object_tags', ['main', 'tag', 'a']));
  contention.note(over('objects'));
  expect(contention.take()).toEqual([
    { space: 'main', id: 'a', conflicts: 2 },
    { space: 'other', id: 'a', conflicts: 1 },
  ]);
  expect(contention.take()).toEqual([]);
});

it('forgets rare ones, and never those that are in the way most', () => {
  const contention = new Contention();
  for (let round = 0; round < 5000; round++) {
    contention.note(over('objects', ['main', `rare ${round}`]));
    if (round % 10 === 0) contention.note(over('objects', ['main', 'hot']));
  }
  const taken = contention.take();
  expect(taken.length).toBeLessThanOrEqual(1000);
  expect(taken.find(({ id }) => id === 'hot')?.conflicts).toBe(500);
});
