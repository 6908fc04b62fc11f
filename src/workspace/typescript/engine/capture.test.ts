// An image is what memory holds, although only marked blocks are looked at: whatever writes to memory marks what it writes.
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { isSamePage, newCopy, pageBytes, zeroPage } from '../../wasm/memory-pages.ts';
import { loadBuild } from './build.ts';
import { captureMemory, restoreMemory } from './capture.ts';
import { bootImage, quietHost, run } from './fixtures/guest.ts';
import type { Image } from './image.ts';
import { Instance } from './instance.ts';
import { usualLimits } from './limits.ts';
import { LiveMachine } from './live-machine.ts';

const host = {
  ...quietHost,
  call: (_function: number, values: readonly unknown[]) => {
    const [size] = values;
    return typeof size === 'number'
      ? size % 2 === 0
        ? 'text of the host '.repeat(size)
        : new Uint8Array(size).fill(9)
      : null;
  },
};

const programs = {
  'objects and numbers':
    'globalThis.items = Array.from({ length: 5000 }, (_, n) => ({ n, half: n / 2 })); items.length',
  'copies and fills':
    'globalThis.data = new Uint8Array(3e6).fill(7, 100, 2e6); data.copyWithin(2e6, 99); data.slice(1).length',
  'what is freed':
    'for (let n = 0; n < 30; n++) { let data = Array.from({ length: 3000 }, (_, k) => `${k}`.repeat(20)) } 0',
  'sorting and patterns': 'globalThis.words = "some words ".repeat(3000).match(/\\w+/g).sort(); words.length',
  'the clock and random numbers':
    'globalThis.x = [Date.now(), new Date(0).toString(), Math.random(), performance.now()]; 0',
  'deep recursion':
    'const down = (n) => n === 0 ? 0 : 1 + down(n - 1); globalThis.depth = [1, 2, 3].map(() => down(300)); 0',
  'what the host returns': 'globalThis.given = [host(3000), host(30001), host(2)]; 0',
  'numbers in typed arrays':
    'globalThis.view = new DataView(new ArrayBuffer(64)); view.setFloat64(1, 0.1); view.setBigInt64(11, -5n); view.setFloat32(33, 2.5); view.setInt16(41, -2); 0',
  'promises and generators':
    'globalThis.log = []; (async () => { for await (const n of (async function* () { yield 1; yield 2 })()) log.push(n) })(); 0',
  errors: 'try { null.missing } catch (error) { globalThis.kept = error } 0',
};

function prepare(image: Image): Instance {
  const instance = new Instance(loadBuild());
  restoreMemory(instance, image, undefined);
  return instance;
}

function runIn(instance: Instance, base: Image, source: string): Image {
  instance.marks.clear(instance.bytes.length);
  const machine = new LiveMachine({ instance, base, host, limits: usualLimits, onRelease: () => {} });
  run(machine, source);
  machine.runJobs();
  const captured = machine.capture();
  machine.release();
  return captured;
}

const differing = (instance: Instance, image: Image): number[] =>
  [...image.pages.keys()].filter((index) => !isSamePage(instance.bytes, index * pageBytes, image.page(index)));

it.each(Object.entries(programs))('%s', (_, source) => {
  const boot = bootImage();
  const instance = prepare(boot);
  const first = runIn(instance, boot, source);
  expect(first.byteLength).toBe(instance.bytes.length);
  expect(differing(instance, first)).toEqual([]);
  // And again, from that image.
  const second = runIn(instance, first, 'globalThis.again = Array.from({ length: 1000 }, (_, n) => [n]); 0');
  expect(differing(instance, second)).toEqual([]);
  expect(second.changedSince(first)?.pages).toEqual(
    [...second.pages.keys()].filter(
      (index) => Buffer.compare(second.page(index), first.pages[index] ?? zeroPage) !== 0,
    ),
  );
});

it.each(Object.entries(programs))('takes back what was not captured: %s', (_, source) => {
  const boot = bootImage();
  const instance = prepare(boot);
  const base = runIn(instance, boot, 'globalThis.kept = Array.from({ length: 20_000 }, (_, n) => ({ n })); 0');
  const released: (Image | undefined)[] = [];
  const machine = new LiveMachine({
    instance,
    base,
    host,
    limits: usualLimits,
    onRelease: (resident) => released.push(resident),
  });
  instance.marks.clear(instance.bytes.length);
  run(machine, `${source}; globalThis.kept = undefined; 0`);
  machine.runJobs();
  const hasGrown = machine.memoryBytes > base.byteLength;
  machine.release();
  expect(released).toEqual([hasGrown ? undefined : base]);
  expect(hasGrown ? [] : differing(instance, base)).toEqual([]);
});

it('captures slices of one machine one after the other', () => {
  const boot = bootImage();
  const instance = prepare(boot);
  instance.marks.clear(instance.bytes.length);
  const machine = new LiveMachine({ instance, base: boot, host, limits: usualLimits, onRelease: () => {} });
  fc.assert(
    fc.property(fc.nat(20), fc.string(), fc.nat(30_000), (slot, text, size) => {
      run(machine, `globalThis['slot' + ${slot}] = [${JSON.stringify(text)}, new Array(${size}).fill(${slot})]; 0`);
      expect(differing(instance, machine.capture())).toEqual([]);
    }),
    { numRuns: 30 },
  );
  machine.release();
});

it('what is written without a mark is missing in the image, so every write has one', () => {
  const boot = bootImage();
  const instance = prepare(boot);
  instance.marks.clear(instance.bytes.length);
  const pointer = boot.byteLength - 3 * pageBytes;
  const changed = 1 + instance.bytes.readUInt32LE(pointer);
  instance.bytes.writeUInt32LE(changed, pointer);
  expect(differing(instance, captureMemory(instance, boot, newCopy))).toEqual([pointer / pageBytes]);
  instance.room(pointer, 4).writeUInt32LE(changed);
  expect(differing(instance, captureMemory(instance, boot, newCopy))).toEqual([]);
});
