// An image is what memory holds, although only pages with a mark are looked at: whatever writes to memory marks what it writes.
import { expect, it } from 'vitest';
import { BootPages, isSamePage, pageBytes } from '../../wasm/memory-pages.ts';
import { loadBuild, readShipped, shippedBuild } from './build.ts';
import { captureMemory, restoreMemory } from './capture.ts';
import { PythonImage } from './image.ts';
import { Instance } from './instance.ts';
import { PythonMachine, type MachineHost } from './machine.ts';
import { zoneFile } from './zone-file.ts';

const { image: shipped, library, wasm } = shippedBuild();
const boot = PythonImage.fromPages(shipped.header, new BootPages().of(readShipped(shipped)), 0);

const host: MachineHost = {
  answer: (_operation, text) => (text === '' ? '=[["u"]]' : '=[1]'),
  output: () => {},
  now: () => Date.UTC(2026, 0, 1),
  zoneOffset: () => 60,
  isOver: () => false,
};

const programs = {
  'objects and numbers':
    'class P:\n    def __init__(self, n): self.n = n\nitems = [P(n) for n in range(5000)]\nx = 7 ** 5000',
  'copies and fills':
    'data = bytearray(3_000_000)\ndata[100:2_000_000] = b"x" * 1_999_900\nother = bytes(data) + bytes(data[1:])',
  'what is freed': 'for n in range(50): data = [str(k) * 50 for k in range(3000)]\ndel data',
  'sorting and patterns': 'import re\nwords = sorted(re.findall(r"\\w+", "some words " * 3000))',
  'files of the library': 'import difflib, calendar, html.parser, statistics\nx = difflib.ndiff(["a"], ["b"])',
  'the clock and zones':
    'import time, datetime, zoneinfo\nx = (time.localtime(), time.time(), datetime.datetime.now(zoneinfo.ZoneInfo("Europe/Berlin")))',
  'random bytes': 'import os, random\nx = [os.urandom(70_000), random.random()]',
  'deep recursion': 'def down(n): return 0 if n == 0 else 1 + down(n - 1)\nx = list(map(down, [300] * 20))',
  'hash functions and compression':
    'import hashlib, zlib\nx = zlib.compress(hashlib.sha256(b"x" * 300_000).digest() * 3000)',
  'vectors of text': 'x = ("é" * 100_000).encode().decode().upper()[::-1]',
  errors: 'try:\n    {}["missing"]\nexcept KeyError as error: kept = error',
};

const limits = { fuel: 2 ** 40, memoryBytes: 2 ** 28, stackBytes: 2 ** 20, longestText: 2 ** 20 };

function runIn(instance: Instance, base: PythonImage, source: string): PythonImage {
  instance.marks.clear(instance.bytes.length);
  const machine = new PythonMachine({ instance, base, host, limits, onRelease: () => {} });
  machine.begin(1, source);
  const captured = machine.capture();
  machine.release();
  return captured;
}

const differing = (instance: Instance, image: PythonImage): number[] =>
  [...image.pages.keys()].filter((index) => !isSamePage(instance.bytes, index * pageBytes, image.page(index)));

it.each(Object.entries(programs))('%s', (_, source) => {
  const instance = new Instance(loadBuild(wasm.sha256), { library: () => readShipped(library), zone: zoneFile });
  restoreMemory(instance, boot, undefined);
  const first = runIn(instance, boot, source);
  expect(first.byteLength).toBe(instance.bytes.length);
  expect(differing(instance, first)).toEqual([]);
  // And again, from that image.
  const second = runIn(instance, first, 'again = [x for x in range(1000)]');
  expect(differing(instance, second)).toEqual([]);
  expect(second.changedSince(first)?.pages).toEqual(
    [...second.pages.keys()].filter((index) => Buffer.compare(second.page(index), first.page(index)) !== 0),
  );
  // Only the pages of the last step lie in one buffer.
  const shared = [...second.pages.keys()].filter((index) => {
    const { buffer } = second.page(index);
    return buffer.byteLength > pageBytes && buffer !== boot.page(index).buffer;
  });
  expect(shared.filter((index) => !second.pagesTogether.includes(index))).toEqual([]);
});

it.each(Object.entries(programs))('takes back what was not captured: %s', (_, source) => {
  const instance = new Instance(loadBuild(wasm.sha256), { library: () => readShipped(library), zone: zoneFile });
  restoreMemory(instance, boot, undefined);
  const base = runIn(instance, boot, 'kept = [[n] for n in range(100_000)]');
  instance.marks.clear(instance.bytes.length);
  const released: (PythonImage | undefined)[] = [];
  const machine = new PythonMachine({ instance, base, host, limits, onRelease: (equals) => released.push(equals) });
  machine.begin(1, `${source}\nkept = None`);
  const hasGrown = machine.memoryBytes > base.byteLength;
  machine.release();
  expect(released).toEqual([hasGrown ? undefined : base]);
  expect(hasGrown ? [] : differing(instance, base)).toEqual([]);
});

it('what is written without a mark is missing in the image, so every write has one', () => {
  const instance = new Instance(loadBuild(wasm.sha256), { library: () => readShipped(library), zone: zoneFile });
  restoreMemory(instance, boot, undefined);
  instance.marks.clear(instance.bytes.length);
  const pointer = boot.header.aside - 3 * pageBytes;
  instance.bytes.writeUInt32LE(1234, pointer);
  expect(differing(instance, captureMemory(instance, boot.header, boot))).toEqual([Math.floor(pointer / pageBytes)]);
  instance.room(pointer, 4).writeUInt32LE(1234);
  expect(differing(instance, captureMemory(instance, boot.header, boot))).toEqual([]);
});
