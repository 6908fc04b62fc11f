import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ImageRefusedError } from './errors.ts';
import { bootImage, quietHost, run, smallPool } from './fixtures/guest.ts';
import { pageBytes, zeroPage } from '../../wasm/memory-pages.ts';
import { Image } from './image.ts';

const pool = smallPool(3);

describe('images', () => {
  it('share the pages that did not change', () => {
    using machine = pool.acquire(bootImage(), { host: quietHost });
    run(machine, 'globalThis.big = new Uint8Array(4_000_000).fill(7)');
    const before = machine.capture();
    run(machine, 'globalThis.small = 1');
    const after = machine.capture();
    const changed = [...after.changedPages(before)];
    expect(changed.length).toBeGreaterThan(0);
    expect(changed.length).toBeLessThan(40);
    const apart = Array.from({ length: after.pageCount }, (_, index) => index).filter(
      (index) => after.page(index) !== before.page(index),
    );
    expect(apart).toEqual(changed.map(({ index }) => index));
    expect([...after.changedPages(after)]).toEqual([]);
  });

  it('capture nothing new when nothing ran', () => {
    using machine = pool.acquire(bootImage(), { host: quietHost });
    const first = machine.capture();
    expect(machine.capture()).toBe(first);
    expect([...first.changedPages(bootImage())]).toEqual([]);
  });

  it('hold no trace of calls that returned', () => {
    using machine = pool.acquire(bootImage(), { host: quietHost });
    run(machine, 'const f = (n) => n === 0 ? 0 : 1 + f(n - 1); f(300)');
    const image = machine.capture();
    for (let index = 0; index < image.header.stackPointer / pageBytes; index++)
      expect(image.page(index)).toBe(zeroPage);
  });

  it('are rebuilt from their changes', () => {
    using machine = pool.acquire(bootImage(), { host: quietHost });
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(20), fc.string(), fc.nat(30_000)), { maxLength: 5 }), (writes) => {
        const before = machine.capture() as Image;
        for (const [slot, text, size] of writes) {
          run(machine, `globalThis['slot' + ${slot}] = [${JSON.stringify(text)}, new Array(${size}).fill(${slot})]`);
        }
        const after = machine.capture() as Image;
        const rebuilt = before.with(after.header, after.pageCount, after.changedPages(before));
        expect(rebuilt.hash()).toBe(after.hash());
        expect(Image.fromBytes(after.header, after.toBytes()).hash()).toBe(after.hash());
      }),
      { numRuns: 20 },
    );
  });

  it('are refused when they cannot be whole', () => {
    const { header } = bootImage();
    expect(() => Image.fromBytes(header, new Uint8Array(100))).toThrow(ImageRefusedError);
    expect(() => Image.fromBytes(header, new Uint8Array(65_536))).toThrow(ImageRefusedError);
    expect(() => Image.fromBytes({ ...header, entry: 3 }, bootImage().toBytes())).toThrow(ImageRefusedError);
    expect(() => bootImage().with(header, 336, [{ index: 400, bytes: zeroPage }])).toThrow(ImageRefusedError);
    expect(() => bootImage().with(header, 336, [{ index: 4, bytes: new Uint8Array(5) }])).toThrow(ImageRefusedError);
  });
});
