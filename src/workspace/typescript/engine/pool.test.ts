import { expect, it } from 'vitest';
import type { Machine } from './engine.ts';
import { EngineMisuseError, EngineMissingError, EnginePoolFullError, EngineStoppedError } from './errors.ts';
import { bootImage, quietHost, run, smallPool } from './fixtures/guest.ts';
import { Image } from './image.ts';
import { usualLimits } from './limits.ts';
import { MachinePool } from './pool.ts';

const grow = (machine: Machine, megabytes: number): void =>
  void run(machine, `globalThis.big = new Uint8Array(${megabytes}e6).fill(1)`);

it('finds a program where it was left', () => {
  const pool = smallPool(2);
  const first = pool.acquire(bootImage(), { host: quietHost });
  run(first, 'globalThis.x = 1');
  const image = first.capture();
  first.release();
  pool.acquire(image, { host: quietHost }).release();
  expect(pool.state).toMatchObject({ created: 1, atRest: 1, inUse: 0 });
});

it('keeps programs apart that take turns in one instance', () => {
  const pool = smallPool(1);
  let images: Image[] = Array.from({ length: 5 }, () => bootImage());
  for (let round = 1; round <= 20; round++) {
    images = images.map((image, index) => {
      using machine = pool.acquire(image, { host: quietHost });
      expect(
        run(
          machine,
          `globalThis.sum = (globalThis.sum ?? 0) + ${index}; globalThis.list = [...(globalThis.list ?? []), {}]; sum + "," + list.length`,
        ),
      ).toBe(`${index * round},${round}`);
      return machine.capture() as Image;
    });
  }
  expect(pool.state).toMatchObject({ created: 1, dropped: 0 });
});

it('drops what was not captured', () => {
  const pool = smallPool(1);
  for (let round = 0; round < 3; round++) {
    using machine = pool.acquire(bootImage(), { host: quietHost });
    expect(run(machine, 'typeof leftover')).toBe('undefined');
    run(machine, 'globalThis.leftover = "x".repeat(1000); globalThis.more = [1, 2, 3]');
  }
  expect(pool.state.created).toBe(1);
});

it('does not put a small program into a large memory', () => {
  const pool = smallPool(1);
  const large = pool.acquire(bootImage(), { host: quietHost });
  grow(large, 10);
  large.release();
  const small = pool.acquire(bootImage(), { host: quietHost });
  expect(small.memoryBytes).toBe(bootImage().byteLength);
  expect(pool.state).toMatchObject({ created: 2, dropped: 1 });
  grow(small, 20);
  const image = small.capture();
  small.release();
  expect(image.byteLength).toBeGreaterThan(20e6);
});

it('drops instances after a stop and above its memory budget', () => {
  const pool = new MachinePool({ instances: 10, memoryBytes: 8e6 });
  const stopped = pool.acquire(bootImage(), { host: quietHost, limits: { ...usualLimits, fuel: 100_000 } });
  expect(() => run(stopped, 'for (;;);')).toThrow(EngineStoppedError);
  stopped.release();
  expect(pool.state).toMatchObject({ atRest: 0, dropped: 1 });
  const machines = Array.from({ length: 9 }, () => pool.acquire(bootImage(), { host: quietHost }));
  for (const machine of machines) machine.release();
  expect(pool.state.memoryBytes).toBeLessThan(8e6);
  expect(pool.state.atRest).toBeGreaterThan(3);
  pool.clear();
  expect(pool.state.memoryBytes).toBe(0);
});

it('says when every machine is in use, and when an engine is not there', () => {
  const pool = smallPool(2);
  const held = [pool.acquire(bootImage(), { host: quietHost }), pool.acquire(bootImage(), { host: quietHost })];
  expect(() => pool.acquire(bootImage(), { host: quietHost })).toThrow(EnginePoolFullError);
  for (const machine of held) machine.release();
  const foreign = new Image({ ...bootImage().header, engine: 'f'.repeat(64) }, bootImage().pages);
  expect(() => pool.acquire(foreign, { host: quietHost })).toThrow(EngineMissingError);
  expect(pool.state.inUse).toBe(0);
});

it('restores ten thousand times without growing', () => {
  const pool = smallPool(2);
  using maker = pool.acquire(bootImage(), { host: quietHost });
  run(maker, 'globalThis.other = Array.from({ length: 500 }, (_, i) => ({ i }))');
  const images = [bootImage(), maker.capture()];
  maker.release();
  const cycle = (count: number): void => {
    for (let round = 0; round < count; round++) {
      using machine = pool.acquire(images[round % 2] ?? bootImage(), { host: quietHost });
      machine.enter('echo', round);
    }
  };
  cycle(500);
  const before = process.memoryUsage();
  cycle(10_000);
  const after = process.memoryUsage();
  expect(pool.state.created).toBeLessThanOrEqual(2);
  expect(after.rss - before.rss).toBeLessThan(64e6);
  expect(after.external - before.external).toBeLessThan(16e6);
});

const count =
  'globalThis.count = (globalThis.count ?? 0) + 1; globalThis.list = [...(globalThis.list ?? []), "x".repeat(700)]; count';

/** Runs the next slice of a program and captures it. */
function next(pool: MachinePool, image: Image): Image {
  using machine = pool.acquire(image, { host: quietHost });
  run(machine, count);
  return machine.capture() as Image;
}

it('uses the memory of replaced images again, and never that of others', () => {
  const pool = smallPool(1);
  const programs = Array.from({ length: 4 }, () => ({ image: next(pool, bootImage()), hash: '' }));
  for (let round = 2; round <= 20; round++) {
    for (const program of programs) {
      const { image: replaced } = program;
      next(pool, replaced); // and dropped, as after a conflict
      program.image = next(pool, replaced);
      program.hash = program.image.hash();
      pool.retire(replaced, program.image);
      expect(() => replaced.page(0)).toThrow(EngineMisuseError);
      const known = programs.filter(({ hash }) => hash !== '');
      expect(known.map(({ image }) => image.hash())).toEqual(known.map(({ hash }) => hash));
    }
    for (const { image } of programs) {
      using machine = pool.acquire(image, { host: quietHost });
      expect(run(machine, 'count + "," + list.length')).toBe(`${round},${round}`);
    }
  }
});

it('does not trust an instance whose image lost its pages', () => {
  const pool = smallPool(3);
  const first = next(pool, bootImage());
  const reader = pool.acquire(first, { host: quietHost });
  const stale = pool.acquire(first, { host: quietHost });
  stale.capture();
  stale.release();
  reader.release();
  const second = next(pool, first);
  pool.retire(first, second);
  const third = next(pool, second);
  // All three instances, among them the one that equalled the first image.
  const machines = Array.from({ length: 3 }, () => pool.acquire(third, { host: quietHost }));
  for (const machine of machines) expect((machine.capture() as Image).hash()).toBe(third.hash());
  for (const machine of machines) machine.release();
});
