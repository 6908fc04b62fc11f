// A collection says what it is; what it cannot be is refused where it is declared.
import { expect, it } from 'vitest';
import { bytesCollection, recordCollection } from './collection.ts';

it.each([recordCollection, bytesCollection])('refuses options it does not have', (make) => {
  expect(make('meetings', { keeps: 'versions' })).toMatchObject({ name: 'meetings', keeps: 'versions' });
  expect(make('meetings').keeps).toBe('latest');
  expect(() => make('meetings', { keep: 'versions' } as object)).toThrow("has no option 'keep'; it takes keeps");
  expect(() => make('meetings', { keeps: 'all' } as never)).toThrow("keeps 'latest' or 'versions', not 'all'");
  expect(() => make('Meetings')).toThrow('is not a valid collection name');
});
