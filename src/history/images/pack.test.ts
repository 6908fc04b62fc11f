// Packs: any change of any image, encoded and applied, gives the image back.
import { array, assert, constantFrom, nat, property, record, tuple, uint8Array } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { constants, deflateRawSync, zstdCompressSync } from 'node:zlib';
import { ChangedWords } from './changed-words.ts';
import { open, wrap } from '../envelope.ts';
import { ImageCheck } from './image-check.ts';
import type { PackEnd } from './lineage.ts';
import { defaultLimits, maxPartBytes, maxPartWords, pageBytes } from '../limits.ts';
import { measureChange } from './measure-change.ts';
import { applyPart, decodeFurtherPart, encodePack, openPack, type DecodedPack, type EncodedPack } from './pack.ts';

const noHeader = new Uint8Array(0);

function apply(
  pack: EncodedPack,
  before: Uint8Array,
  end?: PackEnd,
): { readonly image: Uint8Array; readonly decoded: DecodedPack } {
  const [first = noHeader, ...further] = pack.parts;
  const { keep, pages, decode } = openPack(first, pack.hash, 'A pack', defaultLimits);
  const decoded = decode(end);
  const image = new Uint8Array(pages * pageBytes);
  image.set(before.subarray(0, keep * pageBytes));
  applyPart(decoded.first, image);
  decoded.furtherParts.forEach((hash, index) => {
    applyPart(decodeFurtherPart(further[index] ?? noHeader, hash, 'A part', pages), image);
  });
  return { image, decoded };
}

/** An image as pages that are zero or filled, with single bytes changed here and there. */
const images = record({
  pages: array(constantFrom(0, 1, 0xaa), { maxLength: 6 }),
  bytes: array(tuple(nat(6 * pageBytes - 1), nat(255)), { maxLength: 20 }),
}).map(({ pages, bytes }) => {
  const image = new Uint8Array(pages.length * pageBytes);
  pages.forEach((value, page) => image.fill(value, page * pageBytes, (page + 1) * pageBytes));
  for (const [at, value] of bytes) if (at < image.length) image[at] = value;
  return image;
});

describe('a pack', () => {
  it('turns any image into any other, and knows the check of the result', () => {
    assert(
      property(images, images, uint8Array({ maxLength: 40 }), (previous, current, header) => {
        const change = measureChange({ previous, current, header }, ImageCheck.of(previous), false);
        const { runs, keep, pages } = change;
        const pack = encodePack({ level: 0, base: { kind: 'nothing' }, keep, pages, header, runs }, current, 1);
        const { image, decoded } = apply(pack, previous);
        expect(Buffer.compare(image, current)).toBe(0);
        expect(decoded.end.header).toEqual(header);
        expect(change.check.toString()).toBe(ImageCheck.of(current).toString());
      }),
      { numRuns: 300 },
    );
  });

  it('replaces a row of others, whatever grew and shrank on the way', () => {
    assert(
      property(images, array(images, { minLength: 1, maxLength: 5 }), (first, rest) => {
        const changed = new ChangedWords(first.length / pageBytes);
        let previous = first;
        for (const current of rest) {
          changed.add(measureChange({ previous, current, header: noHeader }, new ImageCheck(), false));
          previous = current;
        }
        const runs = changed.runs();
        const words = runs.reduce((sum, bound, index) => sum + (index % 2 === 0 ? -bound : bound), 0);
        expect(words).toBe(changed.count);
        const pages = previous.length / pageBytes;
        const contents = {
          level: 1,
          base: { kind: 'nothing' },
          keep: changed.keep,
          pages,
          header: noHeader,
          runs,
        } as const;
        expect(Buffer.compare(apply(encodePack(contents, previous, 1), first).image, previous)).toBe(0);
      }),
      { numRuns: 300 },
    );
  });

  it('takes its header from its base, and is compressed with the help of it', () => {
    const header = new Uint8Array([1, 2, 3]);
    assert(
      property(array(images, { minLength: 2, maxLength: 6 }), ([first = noHeader, ...rest]) => {
        let before = first;
        let end: PackEnd = { header, dictionary: undefined };
        for (const current of rest) {
          const change = { previous: before, current, header };
          const { runs, keep, pages } = measureChange(change, new ImageCheck(), false);
          const contents = { level: 0, base: { kind: 'nothing' }, keep, pages, header, runs } as const;
          const pack = encodePack(contents, current, 1, end);
          const { image, decoded } = apply(pack, before, end);
          expect(Buffer.compare(image, current)).toBe(0);
          expect(decoded.end).toEqual(pack.end);
          before = current;
          ({ end } = decoded);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('is small if it resembles its base, and refused with another base or none', () => {
    const current = Uint8Array.from({ length: pageBytes }, (_, at) => (at * at * 31) >> 3);
    const { runs, pages } = measureChange({ previous: noHeader, current, header: noHeader }, new ImageCheck(), false);
    const contents = { level: 0, base: { kind: 'nothing' }, keep: 0, pages, header: noHeader, runs } as const;
    const alone = encodePack(contents, current, 1);
    const similar = encodePack(contents, current, 1, alone.end);
    expect(similar.storedBytes).toBeLessThan(alone.storedBytes / 4);
    const opened = openPack(similar.parts[0] ?? noHeader, similar.hash, 'A pack', defaultLimits);
    expect(() => opened.decode(undefined)).toThrow(expect.objectContaining({ code: 'HISTORY_DAMAGED' }));
    const other = { header: noHeader, dictionary: alone.end.dictionary?.slice(1000) };
    expect(() => opened.decode(other)).toThrow(expect.objectContaining({ code: 'HISTORY_DAMAGED' }));
  });

  it('is split into parts when it is large', () => {
    const current = new Uint8Array(maxPartWords * 4 * 2 + pageBytes).fill(7);
    const { runs, pages } = measureChange({ previous: noHeader, current, header: noHeader }, new ImageCheck(), false);
    const contents = { level: 0, base: { kind: 'nothing' }, keep: 0, pages, header: noHeader, runs } as const;
    const pack = encodePack(contents, current, 1);
    expect(pack.parts).toHaveLength(3);
    expect(Buffer.compare(apply(pack, noHeader).image, current)).toBe(0);
  });

  it('refuses every flipped byte', () => {
    const current = new Uint8Array(pageBytes).fill(3, 100, 300);
    const { runs, pages } = measureChange({ previous: noHeader, current, header: noHeader }, new ImageCheck(), false);
    const pack = encodePack(
      { level: 0, base: { kind: 'nothing' }, keep: 0, pages, header: noHeader, runs },
      current,
      1,
    );
    const part = pack.parts[0] ?? noHeader;
    for (let at = 0; at < part.length; at++) {
      const bad = new Uint8Array(part);
      bad[at] = (bad[at] ?? 0) ^ 0x40;
      expect(() => openPack(bad, pack.hash, 'A pack', defaultLimits)).toThrow(
        expect.objectContaining({ code: at < 4 ? 'HISTORY_FOREIGN' : 'HISTORY_DAMAGED' }),
      );
    }
  });
});

describe('an envelope', () => {
  it('does not expand beyond what it declares, nor declare more than is allowed', () => {
    const contents = Buffer.alloc(64 * 1024 * 1024);
    const bombs = [
      zstdCompressSync(contents, { params: { [constants.ZSTD_c_compressionLevel]: 1 } }),
      deflateRawSync(contents, { dictionary: Buffer.alloc(100) }),
    ];
    for (const [index, bomb] of bombs.entries()) {
      const frame = Buffer.from(wrap(Buffer.alloc(1000), { effort: 1 }).subarray(0, 12));
      frame.writeUInt16LE(index + 1, 6);
      const small = Buffer.concat([frame, bomb]);
      expect(() => open(small, 'A part').contents(Buffer.alloc(100))).toThrow(
        expect.objectContaining({ code: 'HISTORY_DAMAGED' }),
      );
      const large = Buffer.concat([frame, bomb]);
      large.writeUInt32LE(maxPartBytes + 1, 8);
      expect(() => open(large, 'A part')).toThrow(/claims an uncompressed size/);
    }
  });

  it('opens to what was wrapped, whatever is in clear', () => {
    assert(
      property(uint8Array({ maxLength: 2000 }), uint8Array({ maxLength: 255 }), uint8Array(), (bytes, clear, words) => {
        for (const dictionary of [undefined, words]) {
          const opened = open(wrap(bytes, { clear, effort: 1, dictionary }), 'A part');
          expect(Buffer.compare(opened.clear ?? noHeader, clear)).toBe(0);
          expect(Buffer.compare(opened.contents(dictionary), bytes)).toBe(0);
        }
      }),
    );
  });

  it('refuses formats of the future and bytes of others', () => {
    const part = Buffer.from(wrap(Buffer.alloc(1000), { effort: 1 }));
    part.writeUInt16LE(3, 4);
    expect(() => open(part, 'A part')).toThrow(expect.objectContaining({ code: 'HISTORY_NEWER' }));
    expect(() => open(Buffer.from('SQLite format 3'), 'A part')).toThrow(
      expect.objectContaining({ code: 'HISTORY_FOREIGN' }),
    );
  });
});
