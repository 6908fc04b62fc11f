// Encryption at rest: nothing readable on the disk, other keys refused, keys changed without touching rows.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { Durable, openEncrypted, program, Statek } from '../../src/index.ts';
import { backupStore, bytesCollection, openStore, recordCollection, restoreStore } from '../../src/store.ts';

const folder = mkdtempSync(join(tmpdir(), 'statek-encrypted-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const secret = 'nobody-else-reads-this';
const key = randomBytes(32);
const notes = recordCollection<{ text: string }>('notes');
const blobs = bytesCollection('blobs');

class Diary extends Durable {
  static durable = { name: 'Diary' };
  text = secret;
}

it('leaves nothing readable of programs, jobs, conversations and objects, and goes on with them', async () => {
  const place = join(folder, 'kit');
  const trip = program<string>({
    role: 'trip',
    source: `const street = "${secret}"; print(street); const day = await ask(street); street + day`,
  });
  const open = async () => {
    const store = await openEncrypted(place, { key });
    return { store, kit: await Statek.open({ store, drivers: [trip], classes: [Diary] }) };
  };
  const first = await open();
  expect(new Diary().text).toBe(secret);
  await first.kit.flush();
  await first.kit.state.save('note', { secret });
  await first.kit.submit(trip, { id: 'trip', message: secret, vars: { address: secret } });
  await first.kit.runUntilIdle();
  await first.kit.close();
  await first.store.close();
  for (const entry of readdirSync(place, { withFileTypes: true }).filter((one) => one.isFile()))
    expect(readFileSync(join(place, entry.name)).includes(secret)).toBe(false);
  const second = await open();
  await second.kit.answer('trip/1', '!');
  expect(await (await second.kit.job('trip')).result()).toBe(`${secret}!`);
  expect(
    second.kit
      .find(Diary)
      .toArray()
      .map(({ text }) => text),
  ).toEqual([secret]);
  expect(await second.kit.state.get('note')).toEqual({ secret });
  await second.kit.close();
  await second.store.close();
  // Without the key it is refused, before anything looks damaged.
  await expect(Statek.open({ store: place })).rejects.toMatchObject({ code: 'STORE_KEY' });
});

it('refuses other keys, and stores with data that is not encrypted; nothing is changed', async () => {
  const place = join(folder, 'keys');
  const store = await openEncrypted(place, { key });
  await store.declare(notes);
  await store.commit([{ writes: [{ kind: 'put', collection: notes, key: ['a'], value: { text: secret } }] }]);
  await store.close();
  await expect(openEncrypted(place, { key: randomBytes(32) })).rejects.toMatchObject({ code: 'STORE_KEY' });
  const plain = join(folder, 'plain');
  const open = await openStore(plain);
  await open.declare(notes);
  await open.commit([{ writes: [{ kind: 'put', collection: notes, key: ['a'], value: { text: 'x' } }] }]);
  const revision = await open.revision();
  await expect(openEncrypted(open, { key })).rejects.toMatchObject({ code: 'STORE_KEY' });
  expect(await open.revision()).toBe(revision);
  await open.close();
  for (const wrong of ['short', randomBytes(16), undefined, 5])
    await expect(openEncrypted('memory:', { key: wrong as never })).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  await expect(openEncrypted('memory:', { key, keys: [] } as never)).rejects.toMatchObject({ code: 'INVALID_OPTION' });
});

it('changes its key without touching a row; the old key is of no use from then on', async () => {
  const place = join(folder, 'rotation');
  const read = async (options: Parameters<typeof openEncrypted>[1]): Promise<unknown> => {
    const store = await openEncrypted(place, options);
    await store.declare(notes);
    const [entry] = await store.read(notes, [['a']]);
    await store.close();
    return entry && [entry.revision, entry.value];
  };
  const store = await openEncrypted(place, { key });
  await store.declare(notes);
  await store.commit([{ writes: [{ kind: 'put', collection: notes, key: ['a'], value: { text: secret } }] }]);
  await store.close();
  const before = await read({ key });
  const next = randomBytes(32);
  expect(await read({ key: next.toString('base64'), previousKeys: [randomBytes(32), key] })).toEqual(before);
  expect(await read({ key: next })).toEqual(before);
  await expect(read({ key })).rejects.toMatchObject({ code: 'STORE_KEY' });
  // Several processes at once.
  const third = randomBytes(32);
  expect(await Promise.all([1, 2, 3].map(() => read({ key: third, previousKeys: [next] })))).toEqual([
    before,
    before,
    before,
  ]);
});

it('notices values that were changed or moved to another row', async () => {
  const inner = await openStore('memory:');
  const store = await openEncrypted(inner, { key });
  await store.declare(notes, blobs);
  await store.commit([
    {
      writes: [
        { kind: 'put', collection: notes, key: ['a'], value: { text: secret } },
        { kind: 'put', collection: notes, key: ['b'], value: { text: 'b' } },
        { kind: 'put', collection: blobs, key: ['c'], value: Buffer.from(secret) },
      ],
    },
  ]);
  const [a] = await inner.read(notes, [['a']]);
  const [c] = await inner.read(blobs, [['c']]);
  expect(JSON.stringify(a?.value)).not.toContain(secret);
  expect(Buffer.from(c?.value ?? []).includes(secret)).toBe(false);
  expect(Buffer.from((await store.read(blobs, [['c']]))[0]?.value ?? []).toString()).toBe(secret);
  const broken = new Uint8Array(c?.value ?? []);
  broken[broken.length - 1] = (broken.at(-1) ?? 0) ^ 1;
  await inner.commit([
    {
      writes: [
        { kind: 'put', collection: notes, key: ['b'], value: a?.value },
        { kind: 'put', collection: blobs, key: ['c'], value: broken },
      ],
    },
  ]);
  for (const read of [store.read(notes, [['b']]), store.read(blobs, [['c']]), store.scan(notes, {})])
    await expect(read).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
  expect((await store.read(notes, [['a']]))[0]?.value).toEqual({ text: secret });
  await inner.close();
});

it('is backed up and restored as it is, and opened with its key', async () => {
  const [place, other, file] = [join(folder, 'backed-up'), join(folder, 'restored'), join(folder, 'backup')];
  const store = await openEncrypted(place, { key });
  await store.declare(notes);
  await store.commit([{ writes: [{ kind: 'put', collection: notes, key: ['a'], value: { text: secret } }] }]);
  await backupStore(store, file);
  await store.close();
  const target = await openStore(other);
  await restoreStore(target, [file]);
  await target.close();
  await expect(openEncrypted(other, { key: randomBytes(32) })).rejects.toMatchObject({ code: 'STORE_KEY' });
  const restored = await openEncrypted(other, { key });
  await restored.declare(notes);
  expect((await restored.read(notes, [['a']]))[0]?.value).toEqual({ text: secret });
  await restored.close();
});
