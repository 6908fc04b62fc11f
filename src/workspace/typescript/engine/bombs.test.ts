// Every bomb ends, and the pool goes on. Budgets are small so that the whole file takes seconds.
import { describe, expect, it } from 'vitest';
import type { Limits } from './engine.ts';
import { EngineStoppedError } from './errors.ts';
import { bootImage, finished, quietHost, run, smallPool, start } from './fixtures/guest.ts';
import { deep, endless, hungry } from './fixtures/bombs.ts';

const limits: Limits = { fuel: 5_000_000, memoryBytes: 48 * 2 ** 20, stackBytes: 256 * 1024 };
const pool = smallPool(2);

/** What the pool says to the next program, after a bomb. */
function nextAnswer(): unknown {
  using machine = pool.acquire(bootImage(), { host: quietHost });
  return run(machine, '6 * 7');
}

describe('fuel', () => {
  it.each(Object.entries(endless))('stops: %s', (_, source) => {
    const machine = pool.acquire(bootImage(), { host: quietHost, limits });
    expect(() => {
      machine.evaluate(source, { name: 'bomb' });
      machine.runJobs();
    }).toThrow(EngineStoppedError);
    expect(machine.stopped).toMatchObject({ reason: 'fuel' });
    machine.release();
    expect(nextAnswer()).toBe(42);
  });

  it('stops at the same point every time', () => {
    const trace = (source: string): unknown => {
      const calls: number[] = [];
      using machine = pool.acquire(bootImage(), {
        host: { ...quietHost, call: (operation) => void calls.push(operation) },
        limits: { ...limits, fuel: 1_000_000 },
      });
      expect(() => run(machine, source)).toThrow(EngineStoppedError);
      return [calls.length, machine.fuelLeft];
    };
    for (const source of [
      'for (let i = 0; ; i++) host(i)',
      'const m = {}; for (let i = 0; ; i++) { m[i] = "x" + i; host(i) }',
    ]) {
      expect(trace(source)).toEqual(trace(source));
    }
  });

  it('uses the same fuel for the same work, whatever ran before in the instance', () => {
    const used = (): number => {
      using machine = pool.acquire(bootImage(), { host: quietHost });
      run(
        machine,
        'JSON.stringify(Array.from({ length: 1000 }, (_, i) => ({ i, text: "n" + i })).sort((a, b) => b.i - a.i))',
      );
      return machine.fuelUsed;
    };
    const first = used();
    expect([used(), used(), used()]).toEqual([first, first, first]);
  });

  it('counts while no guest frame can see it, and leaves the clock of host calls out', () => {
    using machine = pool.acquire(bootImage(), { host: quietHost });
    run(machine, 'host(1)');
    const before = machine.fuelUsed;
    run(machine, 'host(1)');
    expect(machine.fuelUsed - before).toBeLessThan(2000);
  });
});

describe('memory', () => {
  it.each(Object.entries(hungry))('ends in an error the program survives: %s', (_, source) => {
    using machine = pool.acquire(bootImage(), { host: quietHost, limits: { ...limits, fuel: 2_000_000_000 } });
    const caught = run(
      machine,
      `globalThis.kept = [1, 2, 3]; try { (() => { ${source} })(); 'went through' } catch (error) { String(error) }`,
    );
    expect(caught).toMatch(/^(InternalError: out of memory|RangeError: .*|SyntaxError: .*|InternalError: .*)$/);
    expect(run(machine, 'kept.map((x) => x * 2).join()')).toBe('2,4,6');
    expect(machine.memoryBytes).toBeLessThan(limits.memoryBytes * 1.5 + 16 * 2 ** 20);
    expect(() => machine.capture()).not.toThrow();
  });
});

describe('stack', () => {
  it.each(Object.entries(deep))('ends in an error the program survives: %s', (_, source) => {
    using machine = pool.acquire(bootImage(), { host: quietHost, limits: { ...limits, fuel: 400_000_000 } });
    const caught = run(
      machine,
      `try { (() => { ${source} })(); 'went through' } catch (error) { error.name + ': ' + error.message }`,
    );
    expect(caught).toMatch(/stack overflow|call stack|too many|went through/i);
    expect(run(machine, '6 * 7')).toBe(42);
    expect(() => machine.capture()).not.toThrow();
  });

  it('leaves the host room at the bottom of the deepest recursion', () => {
    const useStack = (depth: number): number => (depth === 0 ? 0 : 1 + useStack(depth - 1));
    let calls = 0;
    using machine = pool.acquire(bootImage(), {
      host: {
        ...quietHost,
        call: () => {
          calls++;
          return useStack(1500);
        },
      },
      limits,
    });
    const routes = [
      'const f = () => { host(1); f() }; f()',
      'const f = () => { host(1); [1].map(f) }; f()',
      'let a = { toJSON() { host(1); return 1 } }; for (let i = 0; i < 3000; i++) a = [a]; JSON.stringify(a)',
      'let p = new Proxy({}, { get() { return host(1) } }); for (let i = 0; i < 3000; i++) p = new Proxy(p, {}); p.x',
      'const o = { toString() { host(1); return "" + o } }; "" + o',
    ];
    for (const source of routes) run(machine, `try { (() => { ${source} })() } catch {} 1`);
    expect(calls).toBeGreaterThan(100);
    expect(machine.stopped).toBeUndefined();
  });
});

it('a stopped step leaves the program it started from as it was', () => {
  using first = pool.acquire(bootImage(), { host: quietHost });
  start(first, 'globalThis.total = 5; await wait(); total');
  const image = first.capture();
  first.release();
  {
    using second = pool.acquire(image, { host: quietHost, limits });
    expect(() => run(second, 'total = 99; for (;;);')).toThrow(EngineStoppedError);
  }
  using third = pool.acquire(image, { host: quietHost });
  third.enter('settle', 1);
  third.runJobs();
  expect(finished(third)).toEqual([{ value: 5 }]);
});
