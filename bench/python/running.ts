// Memory of live workspaces, a long loop and calls to the host.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { Statek } from '../../src/index.ts';
import { heldMemory } from '../support/held-memory.ts';
import { milliseconds } from '../support/measurement.ts';

/** Bytes of memory per workspace that is kept alive. */
export async function measureLive(folder: string, count: number): Promise<number> {
  const kit = await Statek.open({ store: join(folder, 'live'), liveWorkspaces: count + 20, memoryMegabytes: 4096 });
  const use = async (name: string): Promise<void> => {
    await (await kit.workspace(name, { language: 'python' })).run('x = [1, 2, 3]\nlen(x)');
  };
  for (let index = 0; index < 10; index++) await use(`first ${index}`);
  const before = await heldMemory();
  for (let index = 0; index < count; index++) await use(`live ${index}`);
  const bytes = ((await heldMemory()) - before) / count;
  await kit.close();
  return bytes;
}

const loop = 'def work():\n    total = 0\n    for n in range(1000000):\n        total += n\n    return total\n';

export async function measureLoop(): Promise<{
  readonly own: number;
  readonly machine: number | undefined;
  readonly version: string;
}> {
  const kit = await Statek.open({
    store: 'memory:',
    limits: { softCpuMilliseconds: 60_000, hardCpuMilliseconds: 60_000 },
  });
  const workspace = await kit.workspace('loop', { language: 'python' });
  await workspace.run(loop);
  // The compiler of the host needs some rounds to see that this code is worth its time.
  for (let round = 0; round < 5; round++) await workspace.run('work()');
  let own = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5; round++) own = Math.min(own, await milliseconds(() => workspace.run('work()')));
  await kit.close();
  const timed = `${loop}import time, platform\nbest = 1e9\nfor _ in range(5):\n    t = time.perf_counter()\n    work()\n    best = min(best, time.perf_counter() - t)\nprint(best * 1000, platform.python_version())`;
  // A machine may have no Python of its own; then there is no output.
  const { stdout } = spawnSync('python3', ['-c', timed], { encoding: 'utf8' }) as { readonly stdout: string | null };
  const [machine, version = ''] = (stdout ?? '').trim().split(' ');
  return { own, machine: machine === undefined || machine === '' ? undefined : Number(machine), version };
}

/** Microseconds of one call of a function of the application. */
export async function measureHostCalls(count: number): Promise<number> {
  const kit = await Statek.open({
    store: 'memory:',
    limits: { softCpuMilliseconds: 60_000, hardCpuMilliseconds: 60_000 },
  });
  const echo = (value: unknown): unknown => value;
  const workspace = await kit.workspace('calls', { language: 'python', vars: { echo } });
  const run = (calls: number): Promise<number> =>
    milliseconds(() => workspace.run(`for n in range(${calls}): echo(n)`));
  await run(count);
  const [none, all] = [await run(0), await run(count)];
  await kit.close();
  return ((all - none) * 1000) / count;
}
