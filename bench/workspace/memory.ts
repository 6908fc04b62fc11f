// Memory of live and of parked workspaces, and the cost of commits on larger heaps.
import { join } from 'node:path';
import { Statek } from '../../src/index.ts';
import { heldMemory } from '../support/held-memory.ts';
import { milliseconds, percentile, progress } from '../support/measurement.ts';

/** Bytes of memory per workspace that is kept alive. */
export async function measureLive(folder: string, count: number): Promise<number> {
  const kit = await Statek.open({ store: join(folder, 'live'), liveWorkspaces: count + 10, memoryMegabytes: 4096 });
  for (let index = 0; index < 10; index++) await (await kit.workspace(`first ${index}`)).run('1');
  const before = await heldMemory();
  for (let index = 0; index < count; index++)
    await (await kit.workspace(`live ${index}`)).run('let x = [1, 2, 3]; x.length');
  const bytes = ((await heldMemory()) - before) / count;
  await kit.close();
  return bytes;
}

/** Bytes of memory all parked workspaces take together. */
export async function measureParked(folder: string, count: number): Promise<number> {
  const kit = await Statek.open({ store: join(folder, 'parked'), liveWorkspaces: 20 });
  const use = async (index: number): Promise<void> => {
    if (index % 1000 === 0) progress(`parked workspaces: ${index} of ${count}`);
    await (await kit.workspace(`parked ${index}`)).run('let x = 1');
  };
  for (let index = 0; index < 200; index++) await use(index);
  const before = await heldMemory();
  for (let start = 200; start < count; start += 20)
    await Promise.all(Array.from({ length: 20 }, (_, offset) => use(start + offset)));
  const bytes = (await heldMemory()) - before;
  await kit.close();
  return bytes;
}

/** Milliseconds of a small step on a heap of so many megabytes. */
export async function measureHeap(folder: string, megabytes: number): Promise<number> {
  const kit = await Statek.open({
    store: join(folder, `heap ${megabytes}`),
    limits: { heapBytes: 512 * 2 ** 20, softCpuMilliseconds: 60_000, hardCpuMilliseconds: 120_000 },
  });
  const workspace = await kit.workspace('heap');
  const built = await workspace.run(
    `const blocks: Uint8Array[] = []; for (let i = 0; i < ${megabytes * 16}; i++) blocks.push(new Uint8Array(65536).fill(i)); let n = 0; blocks.length`,
  );
  if (built.status !== 'done') throw new Error(built.error?.message);
  const samples: number[] = [];
  for (let round = 0; round < 12; round++) samples.push(await milliseconds(() => workspace.run('n += 1; n')));
  await kit.close();
  return percentile(samples, 0.5);
}

/** Microseconds of one call of a host function, and of reading one field through a handle. */
export async function measureHostCalls(count: number): Promise<{ readonly call: number; readonly field: number }> {
  class Service {
    value = 7;
    echo(value: number): number {
      return value;
    }
  }
  const kit = await Statek.open({
    store: 'memory:',
    limits: { softCpuMilliseconds: 60_000, hardCpuMilliseconds: 120_000 },
  });
  const workspace = await kit.workspace('calls', { vars: { service: new Service() } });
  const time = async (body: string): Promise<number> => {
    const source = `(() => { let sum = 0; for (let i = 0; i < ${count}; i++) sum += ${body}; return sum; })()`;
    await workspace.run(source);
    return milliseconds(() => workspace.run(source));
  };
  const empty = await time('i');
  const figures = {
    call: ((await time('service.echo(i)')) - empty) * (1000 / count),
    field: ((await time('service.value')) - empty) * (1000 / count),
  };
  await kit.close();
  return figures;
}
