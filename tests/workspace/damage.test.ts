// Images that are damaged or of another engine are refused with a code; nothing is half-loaded.
import { expect, it } from 'vitest';
import { openStore, type Store } from '../../src/index.ts';
import { bytesCollection } from '../../src/store.ts';
import { openKit, storeFolder } from './support/kits.ts';

const packs = bytesCollection('history_packs');

async function leaveProgram(folder: string): Promise<void> {
  const kit = await openKit({ store: folder });
  const workspace = await kit.workspace('main');
  await workspace.run('const data = Array.from({ length: 500 }, (_, i) => "text " + i);');
  await workspace.run('data.length = 10;');
  await kit.close();
}

async function change(folder: string, action: (store: Store) => Promise<void>): Promise<void> {
  const store = await openStore(folder);
  await store.declare(packs);
  await action(store);
  await store.close();
}

it('refuses a damaged image', async () => {
  const folder = storeFolder();
  await leaveProgram(folder);
  await change(folder, async (store) => {
    const { entries } = await store.scan(packs, {});
    for (const { key, value } of entries) {
      const damaged = Uint8Array.from(value);
      damaged[damaged.length >> 1] = (damaged[damaged.length >> 1] ?? 0) ^ 0x55;
      await store.commit([{ writes: [{ kind: 'put', collection: packs, key, value: damaged }] }]);
    }
  });
  const kit = await openKit({ store: folder });
  const workspace = await kit.workspace('main');
  await expect(workspace.run('data.length')).rejects.toMatchObject({ code: 'HISTORY_DAMAGED' });
  await expect(workspace.locals()).rejects.toMatchObject({ code: 'HISTORY_DAMAGED' });
});

it('refuses an image whose part is missing', async () => {
  const folder = storeFolder();
  await leaveProgram(folder);
  await change(folder, async (store) => {
    const { entries } = await store.scan(packs, {});
    for (const { key } of entries) await store.commit([{ writes: [{ kind: 'remove', collection: packs, key }] }]);
  });
  const kit = await openKit({ store: folder });
  await expect((await kit.workspace('main')).run('1')).rejects.toMatchObject({ code: 'HISTORY_DAMAGED' });
});
