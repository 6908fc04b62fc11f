// An import that is killed leaves no job behind, or all of it; in both cases the store is whole, and it can be repeated.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { program, Statek } from '../../src/index.ts';
import { storeFolder } from '../workspace/support/kits.ts';

const many = program({
  role: 'many',
  source: 'let i = 0; for (; i < 40; i++) await sleep(0); const day = await ask("When?"); i + day',
});

it('is all or nothing under kill -9', async () => {
  const [from, to] = [storeFolder(), storeFolder()];
  const file = join(from, 'job');
  const here = await Statek.open({ store: from, drivers: [many] });
  await here.submit(many, { id: 'a' });
  await here.runUntilIdle();
  await writeFile(file, here.exportJob('a', { secrets: true }));
  await here.close();
  let deaths = 0;
  const killedAt = async (when: 'before' | 'after'): Promise<number> => {
    const child = fork(join(import.meta.dirname, 'support/import-child.ts'), [to, file, when], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    await once(child, 'exit');
    expect(child.signalCode).toBe('SIGKILL');
    deaths++;
    const looked = await Statek.open({ store: to });
    const jobs = await looked.jobs();
    await looked.close();
    return jobs.length;
  };
  expect(await killedAt('before')).toBe(0);
  // Each one comes one commit further; with the last one, all of the job is there.
  while ((await killedAt('after')) === 0) expect(await killedAt('before')).toBe(0);
  expect(deaths).toBeGreaterThan(3);
  const there = await Statek.open({ store: to, drivers: [many] });
  await expect(there.importJob(createReadStream(file))).rejects.toMatchObject({ code: 'IMPORT_CONFLICT' });
  const job = await there.job('a');
  expect((await there.verify()).problems).toEqual([]);
  await job.resume();
  await there.answer('a/41', ' Monday');
  await there.runUntilIdle();
  expect(await job.result()).toBe('40 Monday');
  await there.close();
});
