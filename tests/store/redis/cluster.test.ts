// A primary of a cluster: a store is in one slot, so its primary serves all of it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordCollection, workCollection } from '../../../src/store/collection.ts';
import { StoreUnavailableError } from '../../../src/store/errors.ts';
import { mustCommit } from '../../../src/store/must-commit.ts';
import { privateRedis, redisProgram, testRedis, type PrivateRedis } from '../../support/redis.ts';
import { trialOn } from './support/trial.ts';

const versions = recordCollection<number>('versions', { keeps: 'versions' });
const items = workCollection<number>('items');

describe.skipIf(redisProgram() === undefined)('a primary of a cluster', () => {
  let server: PrivateRedis;
  beforeAll(async () => {
    server = await privateRedis({ settings: { 'cluster-enabled': 'yes', 'cluster-require-full-coverage': 'no' } });
  });
  afterAll(() => server.dispose());
  const trial = trialOn(() => testRedis(server.url));

  test('that does not serve the slot is refused, and the one that does works', async () => {
    await expect(trial.open()).rejects.toThrow(StoreUnavailableError);
    await trial.command('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
    while (!(await trial.command<string>('CLUSTER', 'INFO')).includes('cluster_state:ok'));
    const store = await trial.open();
    await store.declare(versions, items);
    const first = await mustCommit(store, {
      writes: [
        { kind: 'put', collection: versions, key: ['k'], value: 1 },
        { kind: 'put', collection: items, key: ['job'], value: 1 },
      ],
    });
    await mustCommit(store, { writes: [{ kind: 'put', collection: versions, key: ['k'], value: 2 }] });
    expect(await store.read(versions, [['k']], { at: first })).toMatchObject([{ value: 1 }]);
    const [claimed] = await store.claim(items, { owner: 'o', limit: 1, leaseMilliseconds: 1000 });
    if (claimed === undefined) throw new Error('There is nothing to claim.');
    await store.release([claimed.lease]);
    expect(await store.prune(2)).toBe(2);
    expect((await store.verify()).problems).toEqual([]);
  });
});
