import { describe, expect, it } from 'vitest';
import type { Data, Host } from './engine.ts';
import { EngineMisuseError, EngineStoppedError, GuestThrow } from './errors.ts';
import { bootImage, quietHost, run, smallPool, start } from './fixtures/guest.ts';
import { usualLimits } from './limits.ts';

const pool = smallPool(8);
const acquire = (host: Partial<Host> = {}): ReturnType<typeof pool.acquire> =>
  pool.acquire(bootImage(), { host: { ...quietHost, ...host } });

describe('values that cross', () => {
  const samples: Data[] = [
    undefined,
    null,
    true,
    false,
    0,
    -1,
    2 ** 31,
    1.5,
    -0,
    NaN,
    Infinity,
    '',
    'text',
    'zero \0 inside',
    'ümläut € 😀',
    'half \ud83d pair',
    '\udc00',
    '\ufffd',
    'x'.repeat(100_000),
    new Uint8Array(),
    new Uint8Array([1, 2, 255]),
  ];

  it('come back from the guest as they went in', () => {
    using machine = acquire();
    for (const value of samples) {
      expect(machine.enter('echo', value)).toMatchObject({ status: 'returned', value });
    }
  });

  it('come back from the host as they went in', () => {
    using machine = acquire({ call: (_, [value]) => value });
    run(machine, 'globalThis.results = []');
    for (const value of samples) {
      machine.enter('echo', value);
      expect(machine.evaluate('host(1, "é", 2)', { name: 'test' })).toMatchObject({ value: 'é' });
    }
    expect(run(machine, 'host(1, -0.5)')).toBe(-0.5);
    expect(run(machine, 'Object.is(host(1, -0), -0)')).toBe(true);
    expect(run(machine, 'host(1, new Uint8Array([7, 8, 9]).subarray(1))')).toEqual(new Uint8Array([8, 9]));
    expect(run(machine, 'host(1, "a".repeat(5000) + "b".repeat(5000)).length')).toBe(10_000);
  });

  it('are named by type when they are no data', () => {
    using machine = acquire();
    const type = (source: string): unknown => machine.evaluate(source, { name: 'test' });
    expect(type('({})')).toEqual({ status: 'returned', type: 'object', value: undefined });
    expect(type('[1]')).toMatchObject({ type: 'object' });
    expect(type('() => 1')).toMatchObject({ type: 'function' });
    expect(type('10n')).toMatchObject({ type: 'bigint' });
    expect(type('2n ** 100n')).toMatchObject({ type: 'bigint' });
    expect(type('Symbol()')).toMatchObject({ type: 'symbol' });
    expect(type('new Float64Array(2)')).toMatchObject({ type: 'object' });
    expect(type('new Proxy({}, { get() { throw 1 } })')).toMatchObject({ type: 'object' });
  });
});

describe('calls to the host', () => {
  it('carry a number and values', () => {
    const calls: unknown[] = [];
    using machine = acquire({
      call: (operation, values) => {
        calls.push([operation, ...values]);
        return `answer ${operation}`;
      },
    });
    expect(run(machine, 'host(7, "a", null, 2.5)')).toBe('answer 7');
    expect(calls).toEqual([[7, 'a', null, 2.5]]);
  });

  it('refuse what is no data, inside the guest', () => {
    using machine = acquire();
    const bad = ['host()', 'host("x")', 'host(1, {})', 'host(1, () => 1)', 'host(1, 2n)', 'host(...Array(40).fill(1))'];
    const names = bad.map((call) => run(machine, `try { ${call}; '${call}' } catch (error) { error.name }`));
    expect(names).toEqual(bad.map(() => 'TypeError'));
  });

  it('throw in the guest what the host throws for it, and nothing of the host', () => {
    using machine = acquire({
      call: () => {
        throw new GuestThrow('NotFoundError', 'no such meeting');
      },
    });
    expect(
      run(
        machine,
        'try { host(1) } catch (e) { [e instanceof Error, e.name, e.message, Object.keys(e).length, e.stack].join("|") }',
      ),
    ).toMatch(/^true\|NotFoundError\|no such meeting\|0\|[^/]*$/);
  });

  it('end the slice when the host fails otherwise', () => {
    const failure = new Error('the store is gone');
    using machine = acquire({
      call: () => {
        throw failure;
      },
    });
    expect(() => run(machine, 'try { host(1) } catch { "caught" } finally { host(2) }')).toThrow(failure);
    expect(machine.stopped).toBe(failure);
    expect(() => run(machine, '1')).toThrow(failure);
  });

  it('may enter the guest again', () => {
    using machine = acquire({
      call: (_, [depth]) => {
        if (typeof depth !== 'number' || depth === 0) return 'bottom';
        const outcome = machine.evaluate(`host(1, ${depth - 1})`, { name: 'nested' });
        return outcome.status === 'returned' ? `${depth} ${String(outcome.value)}` : 'threw';
      },
    });
    expect(run(machine, 'host(1, 3)')).toBe('3 2 1 bottom');
    expect(() => machine.capture()).not.toThrow();
  });

  it('are refused once the slice is doomed, and guest code cannot catch its way past', () => {
    let calls = 0;
    const doom = new Error('lost the lease');
    using machine = acquire({
      call: () => {
        calls++;
        machine.doom(doom);
        return 1;
      },
    });
    expect(() => run(machine, 'for (;;) try { host(1) } catch { }')).toThrow(doom);
    expect(calls).toBe(1);
    expect(() => machine.capture()).toThrow(doom);
  });
});

describe('errors', () => {
  it('carry the guest’s own frames', () => {
    using machine = acquire();
    const outcome = machine.evaluate('function inner() {\n  null.x;\n}\ninner()', { name: 'cell-3' });
    expect(outcome).toMatchObject({
      status: 'threw',
      error: { name: 'TypeError', message: "cannot read property 'x' of null" },
    });
    expect(outcome.status === 'threw' && outcome.error.stack).toMatch(/^ *at inner \(cell-3:2:\d+\)/);
  });

  it('are described without running guest code', () => {
    let calls = 0;
    using machine = acquire({ call: () => void calls++ });
    const hostile = [
      'throw { get name() { host(1) }, get message() { host(1) }, get stack() { host(1) } }',
      'throw new Proxy(new Error("x"), { get() { host(1) }, getOwnPropertyDescriptor() { host(1) }, getPrototypeOf() { host(1) } })',
      'const e = new Error("m"); Object.setPrototypeOf(e, new Proxy({}, { get() { host(1) }, getOwnPropertyDescriptor() { host(1) } })); throw e',
      'Object.prototype.value = 1; Object.defineProperty(Object.prototype, "value", { get() { host(1) } }); throw new Error("polluted")',
      'throw Object.assign(Object.create(null), { toString() { host(1) } })',
      'throw { message: { toString() { host(1) } } }',
    ];
    const outcomes = hostile.map((source) => machine.evaluate(source, { name: 'test' }).status);
    expect(outcomes).toEqual(hostile.map(() => 'threw'));
    expect(calls).toBe(0);
    expect(machine.evaluate('throw "plain"', { name: 'test' })).toMatchObject({ error: { message: 'plain' } });
    expect(machine.evaluate('throw undefined', { name: 'test' })).toMatchObject({ error: { message: 'undefined' } });
  });

  it('of promises nobody handles are reported', () => {
    using machine = acquire();
    start(machine, 'Promise.reject(new RangeError("lost")); const late = Promise.reject(1); late.catch(() => {}); 1');
    expect(machine.takeUnhandledRejections()).toMatchObject([{ name: 'RangeError', message: 'lost' }]);
    expect(machine.takeUnhandledRejections()).toEqual([]);
  });

  it('of promises that are gone are reported too', () => {
    using machine = acquire();
    run(machine, 'for (let i = 0; i < 3; i++) Promise.reject(new Error("lost " + i))');
    machine.runJobs();
    expect(machine.takeUnhandledRejections().map(({ message }) => message)).toEqual(['lost 0', 'lost 1', 'lost 2']);
  });

  it('thrown by microtasks come out of runJobs', () => {
    using machine = acquire();
    run(machine, 'queueMicrotask(() => { throw new Error("in a job") }); queueMicrotask(() => log.push("ran"))');
    expect(machine.runJobs()).toMatchObject([{ message: 'in a job' }]);
    expect(run(machine, 'log.join()')).toBe('ran');
  });
});

describe('a new budget', () => {
  it('lets a machine go on', () => {
    using machine = acquire();
    machine.refuel({ ...usualLimits, fuel: 50_000 });
    run(machine, 'for (let i = 0; i < 1000; i++);');
    expect(machine.fuelUsed).toBeGreaterThan(1000);
    machine.refuel({ ...usualLimits, fuel: 60_000 });
    expect(machine.fuelLeft).toBe(60_000);
    expect(() => run(machine, 'for (let i = 0; i < 1e6; i++);')).toThrow(EngineStoppedError);
  });
});

describe('the seams of time and chance', () => {
  it('are the host’s', () => {
    using machine = acquire({ now: () => 1_600_000_000_123, elapsed: () => 12.5, zoneOffset: () => 120 });
    expect(run(machine, 'Date.now()')).toBe(1_600_000_000_123);
    expect(run(machine, 'performance.now()')).toBe(12.5);
    expect(run(machine, 'new Date(0).getHours()')).toBe(2);
    expect(run(machine, 'new Date(0).getTimezoneOffset()')).toBe(-120);
  });

  it('give the same random numbers for the same seed', () => {
    const roll = (seed: bigint): Data => {
      using machine = acquire();
      machine.reseed(seed);
      return run(machine, 'Array.from({ length: 5 }, Math.random).join()');
    };
    expect(roll(42n)).toBe(roll(42n));
    expect(roll(42n)).not.toBe(roll(43n));
    expect(roll(0n)).toMatch(/^0\.\d+(,0\.\d+)+$/);
  });

  it('carry randomness on from image to image', () => {
    using machine = acquire();
    machine.reseed(7n);
    run(machine, 'Math.random()');
    const image = machine.capture();
    const next = run(machine, 'Math.random()');
    using again = pool.acquire(image, { host: quietHost });
    expect(run(again, 'Math.random()')).toBe(next);
  });
});

describe('modules', () => {
  it('are those the host knows', () => {
    const sources = new Map([
      ['app:greet', 'import { name } from "./name"; export const greeting = "hello " + name'],
      ['app:name', 'export const name = "world"'],
    ]);
    using machine = acquire({
      modules: {
        resolve: (from, specifier) => (specifier === './name' && from === 'app:greet' ? 'app:name' : specifier),
        load: (name) => sources.get(name),
      },
    });
    start(machine, 'log.push((await import("app:greet")).greeting)');
    start(machine, 'await import("fs").catch((error) => log.push(error.name + " " + error.message))');
    expect(run(machine, 'log.join()')).toBe("hello world,ReferenceError there is no module 'fs'");
  });

  it('are none without them', () => {
    using machine = acquire();
    start(machine, 'await import("std").catch((error) => log.push(error.message))');
    expect(run(machine, 'log.join()')).toBe("there is no module 'std'");
  });
});

describe('use of a machine', () => {
  it('ends with its release', () => {
    const machine = acquire();
    machine.release();
    machine.release();
    expect(() => run(machine, '1')).toThrow(EngineMisuseError);
    expect(() => machine.capture()).toThrow(EngineMisuseError);
    expect(() => machine.reseed(1n)).toThrow(EngineMisuseError);
  });

  it('does not capture while the guest runs or has jobs left', () => {
    const seen: unknown[] = [];
    using machine = acquire({
      call: () => {
        for (const act of [() => machine.capture(), () => machine.release()]) {
          try {
            act();
          } catch (error) {
            seen.push(error instanceof EngineMisuseError);
          }
        }
        return 1;
      },
    });
    run(machine, 'host(1)');
    expect(seen).toEqual([true, true]);
    run(machine, 'Promise.resolve().then(() => 1)');
    expect(() => machine.capture()).toThrow(EngineMisuseError);
    machine.runJobs();
    expect(() => machine.capture()).not.toThrow();
  });

  it('refuses limits out of range', () => {
    for (const wrong of [{ fuel: 0 }, { fuel: NaN }, { stackBytes: 2 ** 20 }, { memoryBytes: 10 }]) {
      expect(() => pool.acquire(bootImage(), { host: quietHost, limits: { ...usualLimits, ...wrong } })).toThrow(
        EngineMisuseError,
      );
    }
  });

  it('stops at the soft limit, at the host’s word, and then for good', () => {
    using soft = pool.acquire(bootImage(), { host: quietHost, limits: { ...usualLimits, softFuel: 1_000_000 } });
    expect(() => run(soft, 'try { for (;;); } catch { 1 }')).toThrow(EngineStoppedError);
    expect(soft.stopped).toMatchObject({ reason: 'interrupt' });
    expect(soft.fuelUsed).toBeLessThan(10_000_000);
    let polls = 0;
    using polled = acquire({ interrupt: () => ++polls > 3 });
    expect(() => start(polled, 'for (;;) await null')).toThrow(EngineStoppedError);
    expect(() => run(polled, '1')).toThrow(EngineStoppedError);
  });
});
