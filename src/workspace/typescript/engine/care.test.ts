// What the host needs to keep a program in order without running its code: telling proxies, counting memory and its own work,
// collecting garbage, and bounding what it is told of errors.
import { expect, it } from 'vitest';
import { EngineStoppedError } from './errors.ts';
import { bootImage, quietHost, run, smallPool } from './fixtures/guest.ts';
import { usualLimits } from './limits.ts';

const pool = smallPool(2);
const limits = { ...usualLimits, memoryBytes: 8 * 2 ** 20 };

it('tells proxies without touching them', () => {
  using machine = pool.acquire(bootImage(), { host: quietHost });
  run(machine, 'globalThis.fire = () => { throw new Error("fired") }');
  run(machine, 'globalThis.traps = { get: fire, has: fire, ownKeys: fire, getPrototypeOf: fire, apply: fire }');
  for (const proxy of ['new Proxy({}, traps)', 'new Proxy([], traps)', 'new Proxy(() => 1, traps)']) {
    expect(run(machine, `host(0, ${proxy})`)).toBe(true);
  }
  expect(run(machine, 'const r = Proxy.revocable({}, {}); r.revoke(); host(0, r.proxy)')).toBe(true);
  for (const other of ['{}', '[]', '() => 1', '1', '"x"', 'null', 'undefined', 'Symbol()', '5n']) {
    expect(run(machine, `host(0, (${other}))`)).toBe(false);
  }
});

it('counts the memory that is left', () => {
  using machine = pool.acquire(bootImage(), { host: quietHost, limits });
  const before = machine.memoryLeft;
  expect(before).toBeGreaterThan(7 * 2 ** 20);
  run(machine, 'globalThis.held = new Uint8Array(1_000_000); 0');
  expect(before - machine.memoryLeft).toBeGreaterThan(1_000_000);
  expect(before - machine.memoryLeft).toBeLessThan(1_100_000);
  run(machine, 'held = null; 0');
  expect(before - machine.memoryLeft).toBeLessThan(100_000);
});

it('frees what only refers to itself, and leaves what that wakes as jobs', () => {
  using machine = pool.acquire(bootImage(), { host: quietHost, limits });
  run(machine, 'globalThis.registry = new FinalizationRegistry(() => { globalThis.woken = true }); 0');
  run(machine, '(() => { const o = { bytes: new Uint8Array(1_000_000) }; o.self = o; registry.register(o, 1) })(); 0');
  const before = machine.memoryLeft;
  machine.collectGarbage();
  expect(machine.memoryLeft - before).toBeGreaterThan(900_000);
  expect(machine.hasJobs).toBe(true);
  machine.runJobs();
  expect(machine.hasJobs).toBe(false);
  expect(run(machine, 'woken')).toBe(true);
});

it('takes work of the host off the budget', () => {
  using machine = pool.acquire(bootImage(), {
    host: { ...quietHost, call: () => machine.spend(usualLimits.fuel) as undefined },
  });
  expect(() => run(machine, 'for (let i = 0; i < 10; i++) host(1)')).toThrow(EngineStoppedError);
});

it('describes some of very many errors, and counts the others', () => {
  using machine = pool.acquire(bootImage(), { host: quietHost });
  run(machine, 'for (let i = 0; i < 1000; i++) Promise.reject(new Error("lost " + i)); 0');
  run(machine, 'globalThis.kept = Array.from({ length: 500 }, (_, i) => Promise.reject(new Error("kept " + i))); 0');
  const rejections = machine.takeUnhandledRejections();
  expect(rejections.length).toBeLessThan(30);
  expect(rejections.at(-1)?.message).toMatch(/^… and 1\d{3} more errors$/);
  expect(machine.takeUnhandledRejections()).toEqual([]);
  run(machine, 'for (let i = 0; i < 1000; i++) queueMicrotask(() => { throw new Error("job " + i) }); 0');
  const thrown = machine.runJobs();
  expect(thrown[0]?.message).toBe('job 0');
  expect(thrown.at(-1)?.message).toBe('… and 980 more errors');
});
