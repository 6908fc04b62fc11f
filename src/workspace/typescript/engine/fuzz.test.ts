// Random source text and random calls to the host: the host never crashes, and every machine ends in a known way.
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Data, Host, Machine } from './engine.ts';
import { EngineStoppedError, GuestThrow } from './errors.ts';
import { deep, endless, hungry } from './fixtures/bombs.ts';
import { bootImage, quietHost, run, smallPool } from './fixtures/guest.ts';

const limits = { fuel: 500_000, memoryBytes: 8 * 2 ** 20, stackBytes: 128 * 1024 };
const pool = smallPool(2);

/** Runs source and says how it ended; what is no stop by a limit is thrown. */
function survive(machine: Machine, source: string, asynchronous: boolean): string {
  try {
    machine.evaluate(source, asynchronous ? { name: 'fuzz', async: true, deliver: 'step' } : { name: 'fuzz' });
    machine.runJobs();
    machine.takeUnhandledRejections();
    machine.capture();
    return 'ended';
  } catch (error) {
    if (!(error instanceof EngineStoppedError)) throw error;
    return error.reason;
  }
}

const words =
  'let const var function class async await yield for while do if else try catch finally throw new this super => ... ?? ?. ** in of typeof delete ( ) [ ] { } , ; : = + - * / % ! ~ ` ${ } "a" 0 1n /x/g x y Map Proxy Symbol.iterator Promise.all Array host wait log eval JSON globalThis Reflect.construct Object.defineProperty __proto__ constructor prototype label: break continue static get set #p import("m") with debugger'.split(
    ' ',
  );
const sources = Object.values({ ...endless, ...hungry, ...deep });

it('survives random source', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.array(fc.constantFrom(...words), { maxLength: 30 }).map((parts) => parts.join(' ')),
    // Real programs, cut and spliced.
    fc
      .tuple(fc.constantFrom(...sources), fc.nat(80), fc.constantFrom(...sources), fc.nat(80))
      .map(([a, from, b, to]) => a.slice(0, from) + b.slice(to)),
  );
  fc.assert(
    fc.property(text, fc.boolean(), (source, asynchronous) => {
      using machine = pool.acquire(bootImage(), { host: quietHost, limits });
      expect(['ended', 'fuel', 'stack', 'memory']).toContain(survive(machine, source, asynchronous));
    }),
    { numRuns: 1500 },
  );
});

it('survives random messages in both directions', () => {
  const data: fc.Arbitrary<Data> = fc.oneof(
    fc.constantFrom(undefined, null, true, false),
    fc.double(),
    fc.integer(),
    fc.string({ unit: 'binary' }),
    fc.uint8Array(),
  );
  fc.assert(
    fc.property(fc.array(data, { maxLength: 20 }), data, fc.boolean(), (values, answer, refuse) => {
      const seen: Data[][] = [];
      const host: Host = {
        ...quietHost,
        call: (operation, given) => {
          seen.push([operation, ...given]);
          if (refuse) throw new GuestThrow('Refused', String(answer));
          return answer;
        },
      };
      using machine = pool.acquire(bootImage(), { host });
      run(machine, 'globalThis.received = []');
      for (const value of values) {
        machine.enter('echo', value);
        machine.enter(value);
      }
      const literals = values.map((value) =>
        value instanceof Uint8Array
          ? `new Uint8Array([${value.join()}])`
          : Object.is(value, -0)
            ? '-0'
            : typeof value === 'number'
              ? String(value)
              : ((JSON.stringify(value) as string | undefined) ?? 'undefined'),
      );
      const outcome = machine.evaluate(`host(7, ${literals.join()})`, { name: 'fuzz' });
      const tooMany = values.length > 15;
      expect(seen).toEqual(tooMany ? [] : [[7, ...values]]);
      expect(outcome).toMatchObject(
        tooMany
          ? { status: 'threw', error: { name: 'TypeError' } }
          : refuse
            ? { status: 'threw', error: { name: 'Refused' } }
            : { status: 'returned', value: answer },
      );
      machine.capture();
    }),
    { numRuns: 500 },
  );
});

it('survives hostile arguments to the host function', () => {
  using machine = pool.acquire(bootImage(), { host: quietHost });
  const hostile = [
    'host.call(null, 1)',
    'host.apply({}, [1, "x"])',
    'new host(1)',
    'Reflect.construct(host, [1])',
    'Reflect.apply(host, host, { length: 3, 0: 1 })',
    'host(1, new Proxy([], {}))',
    'host(1, new Proxy(new Uint8Array(2), {}))',
    'host(1, new Uint8Array(new ArrayBuffer(8, { maxByteLength: 16 }), 4))',
    'const b = new ArrayBuffer(8); const v = new Uint8Array(b); b.transfer?.(); host(1, v)',
    'const b = new ArrayBuffer(8, { maxByteLength: 16 }); const v = new Uint8Array(b, 4, 4); b.resize(2); host(1, v)',
    'host(1, new Uint8Array(new SharedArrayBuffer(4)))',
    'host(1, new DataView(new ArrayBuffer(4)))',
    'host(2 ** 40)',
    'host(NaN)',
    'host(-1.5, "\\u0000".repeat(1000))',
    'Object.defineProperty(host, "name", { get() { throw 1 } }); host(1)',
    'Object.setPrototypeOf(host, null); host(1)',
  ];
  const ends = hostile.map((source) => machine.evaluate(`{ ${source} }`, { name: 'hostile' }).status);
  expect(new Set(ends)).toEqual(new Set(['returned', 'threw']));
  expect(run(machine, '6 * 7')).toBe(42);
  machine.capture();
});
