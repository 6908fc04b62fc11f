import { assert, nat, property, string } from 'fast-check';
import { expect, it } from 'vitest';
import { PacketReader, packetsOf } from './packets.ts';

const body = string({ unit: 'grapheme', maxLength: 8000 }).map((text) => JSON.stringify(text.repeat(3)));

it('puts together what was split, whatever it is made of', () => {
  assert(
    property(body, nat(), (text, batch) => {
      const reader = new PacketReader('own');
      const packets = packetsOf('other', batch, text);
      for (const packet of packets) expect(Buffer.byteLength(packet)).toBeLessThan(8000);
      expect(packets.map((packet) => reader.read(packet)).filter((read) => read !== undefined)).toEqual([text]);
      expect(new Set(packets).size).toBe(packets.length);
    }),
    { numRuns: 50 },
  );
});

it('drops batches that are not whole, its own, and what is no packet', () => {
  const reader = new PacketReader('own');
  const read = (packets: readonly string[]): (string | undefined)[] => packets.map((packet) => reader.read(packet));
  const [first = '', second = '', ...rest] = packetsOf('other', 1, 'long '.repeat(5000));
  expect(read([first, ...rest])).not.toContain('long '.repeat(5000));
  expect(read([second, ...rest]).every((text) => text === undefined)).toBe(true);
  expect(read(packetsOf('own', 1, 'mine'))).toEqual([undefined]);
  expect(read(['', 'x', 'a b c d e', 'other 1 0 x y'])).toEqual([undefined, undefined, undefined, undefined]);
  expect(read(packetsOf('other', 2, 'short'))).toEqual(['short']);
});
