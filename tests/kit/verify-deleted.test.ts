import { expect, it } from 'vitest';
import { program } from '../../src/index.ts';
import { openKit } from '../workspace/support/kits.ts';

it('is content with a store in which jobs were deleted and nothing was freed yet', async () => {
  const short = program({ role: 'short', source: '1' });
  const kit = await openKit({ drivers: [short] });
  const jobs = await kit.submitAll(short, [{ id: 'a' }, { id: 'b' }]);
  await kit.runUntilIdle();
  await (await jobs[0]?.refresh())?.delete();
  expect((await kit.verify()).problems).toEqual([]);
});
