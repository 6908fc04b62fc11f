// When the host says that the time is over, a machine stops: in bytecode, in native loops, in jobs and in what the host does.
import { expect, it } from 'vitest';
import type { Host, Limits } from './engine.ts';
import { EngineStoppedError } from './errors.ts';
import { bootImage, quietHost, run, smallPool } from './fixtures/guest.ts';
import { usualLimits } from './limits.ts';

const pool = smallPool(2);
const limits: Limits = { ...usualLimits, fuel: Number.MAX_SAFE_INTEGER };

/** A host whose time is over when it was asked so many times. */
function hostFor(looks: number, more: Partial<Host> = {}): Host & { looks: number } {
  const host = { ...quietHost, ...more, looks: 0, isOver: () => ++host.looks > looks };
  return host;
}

const endless = {
  'a loop': 'for (;;);',
  'a loop that catches everything': 'for (;;) try { for (;;) null.x } catch {} finally { globalThis.caught = 1 }',
  'a native loop': 'Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)',
  'a native loop whose turns take long': 'const s = "é".repeat(1e5); for (;;) encodeURI(s)',
  'a pattern': '/^(a+)+$/.test("a".repeat(60) + "b")',
  'calls of the host': 'for (;;) try { host(1) } catch {}',
  'local time': 'for (;;) new Date(0).getHours()',
  'rejected promises': 'for (;;) Promise.reject(1)',
  'promise jobs': 'const f = () => { Promise.resolve().then(f) }; f()',
};

it.each(Object.entries(endless))('stops when the time is over: %s', (_, source) => {
  const host = hostFor(50);
  const machine = pool.acquire(bootImage(), { host, limits });
  expect(() => {
    machine.evaluate(source, { name: 'bomb' });
    machine.runJobs();
  }).toThrow(EngineStoppedError);
  expect(machine.stopped).toMatchObject({ reason: 'time' });
  expect(host.looks).toBe(51);
  expect(() => run(machine, '1')).toThrow(EngineStoppedError);
  machine.release();
  using next = pool.acquire(bootImage(), { host: quietHost });
  expect(run(next, '6 * 7')).toBe(42);
});

it('stops when the time is over while the host does something', () => {
  let isOver = false;
  const call = (): undefined => void (isOver = true);
  const machine = pool.acquire(bootImage(), { host: { ...quietHost, call, isOver: () => isOver }, limits });
  expect(() => run(machine, 'try { host(1) } catch {} "went on"')).toThrow(EngineStoppedError);
  expect(machine.stopped).toMatchObject({ reason: 'time' });
  machine.release();
});

it('looks at the clock each time a portion of work is done, and counts as it did', () => {
  const host = hostFor(Number.POSITIVE_INFINITY);
  using machine = pool.acquire(bootImage(), { host, limits: { ...usualLimits, fuel: 10_000_000 } });
  const before = host.looks;
  run(machine, 'let n = 0; for (let i = 0; i < 100_000; i++) n += i');
  const { fuelUsed } = machine;
  expect(fuelUsed).toBeGreaterThan(100_000);
  expect(fuelUsed + machine.fuelLeft).toBe(10_000_000);
  expect(host.looks - before).toBeGreaterThanOrEqual(Math.floor(fuelUsed / 20_000) - 1);
});

it('reads no more of a text than it takes to refuse it', () => {
  const lengths: number[] = [];
  const call: Host['call'] = (_, [text]) => void lengths.push(String(text).length);
  using machine = pool.acquire(bootImage(), {
    host: { ...quietHost, call },
    limits: { ...usualLimits, longestText: 5000 },
  });
  run(machine, 'for (const text of ["x", "é", "€", "😀"]) host(1, text.repeat(10_000_000 / text.length))');
  run(machine, 'host(1, "€".repeat(5001)); host(1, "short")');
  expect(lengths.slice(4)).toEqual([5001, 5]);
  for (const length of lengths.slice(0, 4)) {
    expect(length).toBeGreaterThan(5000);
    expect(length).toBeLessThan(100_000);
  }
});

it('keeps little of errors that nobody catches', () => {
  using machine = pool.acquire(bootImage(), { host: quietHost });
  run(machine, 'for (let i = 0; i < 100; i++) Promise.reject(new Error("x".repeat(1_000_000)))');
  const told = machine.takeUnhandledRejections();
  expect(told.length).toBeLessThan(30);
  expect(JSON.stringify(told).length).toBeLessThan(3_000_000);
});
