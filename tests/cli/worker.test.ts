// Workers as processes: one is killed in the middle of a job, another brings the job to its end.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { expectProcesses, json, kill, printed, start, statek, temporaryFolder } from './support/statek.ts';

expectProcesses();

it('takes over from a worker that was killed, and stops when it is told to', async () => {
  const store = join(temporaryFolder(), 'data');
  await json(['run', '--role', 'counts', '--id', 'counts-1', '--detach', '--store', store]);
  const environment = { STATEK_TEST_CLI_LEASE: '1500' };
  const first = start(['worker', '--store', store], { environment });
  await printed(first, /counts-1 started[\s\S]*counts-1 suspended/);
  await kill(first);
  const before = (await json(['locals', 'counts-1', '--store', store])) as { n: number };

  const second = start(['worker', '--store', store, '--json'], { environment });
  const text = await printed(second, '"kind":"done"');
  const ended = new Promise<number | null>((resolve) => second.once('close', resolve));
  second.kill('SIGTERM');
  expect(await ended).toBe(0);
  for (const line of text.trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('kind');
  expect(before.n).toBeLessThan(12);
  expect(await json(['show', 'counts-1', '--store', store])).toMatchObject({ outcome: 'completed', result: 12 });
  const { stdout } = await statek(['watch', 'counts-1', '--store', store]);
  expect(stdout.match(/ started/g)).toHaveLength(1);
});

it.each([[[]], [['--processes', '2']]])('prints every event before it ends, %j', async (options) => {
  const store = join(temporaryFolder(), 'data');
  const ids = ['one', 'two', 'three'];
  for (const id of ids)
    await statek(['run', '--role', 'double', '--vars', '{"n": 2}', '--id', id, '--detach', '--store', store]);
  const { stdout } = await statek(['worker', '--until-idle', '--json', ...options, '--store', store]);
  const events = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { kind: string; job?: string });
  for (const kind of ['started', 'done'])
    expect(new Set(events.flatMap((event) => (event.kind === kind ? event.job : [])))).toEqual(new Set(ids));
});
