import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { gunzipSync, gzipSync } from 'node:zlib';
import { ArchiveDamagedError, readArchive, writeArchive, type ArchivedRow } from './archive.ts';

async function bytesOf(rows: readonly ArchivedRow[]): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of writeArchive({ kind: 'test' }, rows)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

const row = fc.record({
  collection: fc.string(),
  key: fc.array(fc.oneof(fc.string(), fc.integer()), { minLength: 1 }),
  value: fc.oneof(fc.jsonValue(), fc.uint8Array()),
}) as fc.Arbitrary<ArchivedRow>;

it('comes back as it was written, however it is cut into pieces', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(row), fc.integer({ min: 1, max: 100 }), async (rows, size) => {
      const { about, rows: read } = await readArchive(inPieces(await bytesOf(rows), size));
      expect(about).toEqual({ kind: 'test' });
      const plain = (value: unknown): unknown =>
        value instanceof Uint8Array ? value : JSON.parse(JSON.stringify(value));
      expect(read).toEqual(rows.map((one) => ({ ...one, value: plain(one.value) })));
    }),
    { numRuns: 60 },
  );
});

it('refuses what was cut off, changed, or is something else', async () => {
  const whole = await bytesOf([
    { collection: 'a', key: ['x', 1], value: { n: 1 } },
    { collection: 'b', key: [2], value: new Uint8Array([1, 2]) },
  ]);
  const text = gunzipSync(whole).toString();
  const lines = text.trimEnd().split('\n');
  const changed = [
    whole.subarray(0, whole.length - 9),
    gzipSync(lines.slice(0, -1).join('\n') + '\n'),
    gzipSync([lines[0], lines[2], lines[3]].join('\n') + '\n'),
    gzipSync(text.replace('"n":1', '"n":2')),
    gzipSync(text + '{"more":1}\n'),
    gzipSync(text.replace('"format":1', '"format":9')),
    gzipSync('hello\n'),
    gzipSync(''),
    Buffer.from('not packed at all'),
  ];
  for (const bytes of changed) await expect(readArchive(inPieces(bytes, 7))).rejects.toThrow(ArchiveDamagedError);
  await expect(readArchive(inPieces(whole, 7), { maxBytes: 20 })).rejects.toThrow(/more than 20 bytes/);
});

it('tells what went wrong on the way in, in both directions', async () => {
  const failing = async function* <Item>(first: Item): AsyncGenerator<Item> {
    yield first;
    throw new RangeError('no more');
  };
  const written = async (): Promise<void> => {
    for await (const _chunk of writeArchive({}, failing({ collection: 'a', key: [1], value: 1 })));
  };
  await expect(written()).rejects.toThrow('no more');
  await expect(readArchive(failing(await bytesOf([])))).rejects.toThrow('no more');
});
