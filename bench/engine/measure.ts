// Measures the TypeScript engine: what fuel and marks cost against the same engine without them, and what machines, host calls and images cost.
import { makeBootImage } from '../../src/workspace/typescript/engine/boot.ts';
import { loadBuild } from '../../src/workspace/typescript/engine/build.ts';
import type { Host, Machine } from '../../src/workspace/typescript/engine/engine.ts';
import type { Image } from '../../src/workspace/typescript/engine/image.ts';
import { Instance } from '../../src/workspace/typescript/engine/instance.ts';
import { usualLimits } from '../../src/workspace/typescript/engine/limits.ts';
import { MachinePool } from '../../src/workspace/typescript/engine/pool.ts';
import { percentile, progress, round, type Measurement } from '../support/measurement.ts';
import { Bare, stockBuild } from './stock.ts';
import { workloads } from './workloads.ts';

const bootCode = '(host) => { globalThis.host = host; return (value) => value }';
const host: Host = { call: (_, [value]) => value, now: () => 0 };
const limits = { ...usualLimits, fuel: Number.MAX_SAFE_INTEGER, memoryBytes: 512 * 2 ** 20 };

export function measure(quick: boolean): Promise<readonly Measurement[]> {
  const image = makeBootImage(loadBuild(), bootCode);
  const rows = [...instruments(quick), ...machines(image, quick), ...hostCalls(image, quick), ...heaps(image, quick)];
  progress('');
  return Promise.resolve(rows);
}

/** Both engines take turns within each round, and the best of each counts: noise only ever adds. */
function instruments(quick: boolean): Measurement[] {
  const [stock, shipped] = [new Bare(stockBuild()), new Bare(loadBuild())];
  const best = new Map<string, { stock: number; shipped: number }>();
  for (let time = 0; time < (quick ? 10 : 60); time++) {
    progress(`engine, round ${time + 1}`);
    for (const [name, source] of Object.entries(workloads)) {
      const code = `(() => { ${source} })()`;
      stock.collect();
      shipped.collect();
      const before = best.get(name) ?? { stock: Infinity, shipped: Infinity };
      best.set(name, {
        stock: Math.min(
          before.stock,
          took(() => stock.run(code)),
        ),
        shipped: Math.min(
          before.shipped,
          took(() => shipped.run(code)),
        ),
      });
    }
  }
  const ratios = [...best.values()].map((times) => times.shipped / times.stock);
  const mean = Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
  return [
    ...[...best].map(([name, times]): Measurement => ({
      figure: `overhead.${name}`,
      value: round((times.shipped / times.stock - 1) * 100),
      unit: '%',
      what: `${name}: ${round(times.stock)} ms as it comes, ${round(times.shipped)} ms with fuel and marks`,
    })),
    {
      figure: 'overheadMean',
      value: round((mean - 1) * 100),
      unit: '%',
      what: 'fuel and marks against none, geometric mean',
      goal: { text: '≤ 15', met: mean <= 1.15 },
    },
  ];
}

function machines(image: Image, quick: boolean): Measurement[] {
  progress('machines');
  const count = quick ? 100 : 1000;
  const live = quick ? 50 : 200;
  const build = loadBuild();
  const create = repeat(live, () =>
    new MachinePool({ instances: 1, memoryBytes: 2 ** 30 }).acquire(image, { host }).release(),
  );

  const pool = new MachinePool({ instances: 1, memoryBytes: 2 ** 30 });
  const withMachine = (from: Image, use: (machine: Machine) => void): void => {
    using machine = pool.acquire(from, { host, limits });
    use(machine);
  };
  const dirty = repeat(count, () => withMachine(image, (machine) => void machine.enter(1)));
  let program = image;
  withMachine(image, (machine) => {
    machine.evaluate('globalThis.items = Array.from({ length: 500 }, (_, i) => ({ i }))', { name: 'bench' });
    program = machine.capture() as Image;
  });
  const images = [image, program];
  const switching = repeat(count, (turn) =>
    withMachine(images[turn % 2] ?? image, (machine) => void machine.capture()),
  );
  const slice = repeat(count, () =>
    withMachine(program, (machine) => {
      machine.enter(1);
      program = machine.capture() as Image;
    }),
  );

  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  const kept = new MachinePool({ instances: live, memoryBytes: 2 ** 32 });
  const held = Array.from({ length: live }, () => {
    const machine = kept.acquire(image, { host });
    machine.evaluate('globalThis.x = [1, 2, 3]', { name: 'bench' });
    machine.capture();
    return machine;
  });
  const perMachine = (process.memoryUsage.rss() - before) / live;
  for (const machine of held) machine.release();
  const compile = repeat(20, () => new Instance(build));

  return [
    { figure: 'instantiateMs', value: round(compile), unit: 'ms', what: 'one bare instance of a compiled engine' },
    { figure: 'createMs', value: round(create), unit: 'ms', what: 'new instance, boot image restored' },
    {
      figure: 'restoreAfterAbortMs',
      value: round(dirty),
      unit: 'ms',
      what: 'pooled instance after a dropped slice, one call',
    },
    {
      figure: 'switchProgramMs',
      value: round(switching),
      unit: 'ms',
      what: 'pooled instance, only differing pages written, captured',
    },
    {
      figure: 'smallSliceMs',
      value: round(slice),
      unit: 'ms',
      what: 'same program again: acquire, one call, capture, release',
    },
    {
      figure: 'memoryPerMachineMB',
      value: round(perMachine / 2 ** 20),
      unit: 'MB',
      what: `resident memory per live machine, ${live} of them`,
      goal: { text: '≤ 2', met: perMachine <= 2 * 2 ** 20 },
    },
  ];
}

function hostCalls(image: Image, quick: boolean): Measurement[] {
  progress('host calls');
  const calls = quick ? 20_000 : 200_000;
  const pool = new MachinePool({ instances: 1, memoryBytes: 2 ** 30 });
  using machine = pool.acquire(image, { host, limits });
  const batch = 1000;
  const perCall = (call: string): number => {
    const loop = (body: string): number => {
      const source = `(() => { for (let i = 0; i < ${batch}; i++) { ${body} } })()`;
      return repeat(calls / batch, () => machine.evaluate(source, { name: 'bench' }));
    };
    return ((loop(call) - loop('i')) / batch) * 1000;
  };
  const number = perCall('host(1, i)');
  const text = perCall("host(1, 'a short text')");
  const entering = repeat(calls / batch, () => {
    for (let turn = 0; turn < batch; turn++) machine.enter('a short text');
  });
  return [
    {
      figure: 'hostCallMicroseconds',
      value: round(number),
      unit: 'µs',
      what: 'guest calls host with a number, number back',
      goal: { text: '≤ 2', met: number <= 2 },
    },
    {
      figure: 'hostCallTextMicroseconds',
      value: round(text),
      unit: 'µs',
      what: 'the same with a short text both ways',
    },
    {
      figure: 'enterMicroseconds',
      value: round((entering / batch) * 1000),
      unit: 'µs',
      what: 'host calls guest with a short text, text back',
    },
  ];
}

function heaps(image: Image, quick: boolean): Measurement[] {
  const sizes = quick ? [1, 16] : [1, 16, 64];
  return sizes.flatMap((megabytes): Measurement[] => {
    progress(`heap of ${megabytes} MB`);
    const pool = new MachinePool({ instances: 1, memoryBytes: 2 ** 31 });
    using machine = pool.acquire(image, { host, limits });
    const fill = `globalThis.heap = Array.from({ length: ${megabytes * 16} }, (_, k) => new Uint32Array(16384).map((_, i) => i * k + 1)); 1`;
    machine.evaluate(fill, { name: 'bench' });
    let captured = machine.capture();
    let changed = 0;
    const capture = repeat(
      quick ? 5 : 15,
      (turn) => {
        machine.evaluate(`heap[${turn % 16}][7] = ${turn}`, { name: 'bench' });
        return took(() => {
          const before = captured;
          captured = machine.capture();
          changed = [...captured.changedPages(before)].length;
        });
      },
      true,
    );
    machine.release();
    const restore = repeat(
      quick ? 5 : 15,
      () => {
        const other = pool.acquire(captured, { host, limits });
        other.evaluate('heap[0][1] = -1', { name: 'bench' });
        other.release();
        return took(() => pool.acquire(captured, { host, limits }).release());
      },
      true,
    );
    return [
      {
        figure: `captureMs.${megabytes}MB`,
        value: round(capture),
        unit: 'ms',
        what: `capture of a ${megabytes} MB heap, ${changed} pages changed`,
      },
      {
        figure: `restoreMs.${megabytes}MB`,
        value: round(restore),
        unit: 'ms',
        what: `restored after a slice on it was dropped`,
      },
    ];
  });
}

function took(action: () => unknown): number {
  const started = performance.now();
  action();
  return performance.now() - started;
}

/** The time a run takes when nothing gets in its way: the fastest tenth of many. With `own`, the action measures itself. */
function repeat(times: number, action: (turn: number) => unknown, own = false): number {
  const samples: number[] = [];
  for (let turn = 0; turn < times; turn++) {
    let result: unknown;
    const whole = took(() => {
      result = action(turn);
    });
    samples.push(own ? Number(result) : whole);
  }
  return percentile(samples, 0.1);
}
