// Boot images in the store: by hash, shared by all chains that start from them.
import type { Check, Store, TransactionPart, Write } from '../../store/door.ts';
import { bootParts, boots, type BootRecord } from '../collections.ts';
import { damaged } from '../envelope.ts';
import { HistoryDamagedError } from '../errors.ts';
import type { BootHash, BootImage, Image } from '../history.ts';
import { bootImage } from './image.ts';
import { ImageCheck } from './image-check.ts';
import type { HistoryLimits } from '../limits.ts';
import { measureChange } from './measure-change.ts';
import { applyPart, decodeFurtherPart, encodePack, openPack } from './pack.ts';
import { seal, unseal } from '../seal.ts';
import { pageBytes } from '../limits.ts';

// Creating the first chain waits for it. A higher level would save a tenth of the size and take five times as long.
const effort = 2;

// Several chains may start at once from a boot image that is not stored yet; its pack is encoded once for all of them.
const encoded = new WeakMap<BootImage, ReturnType<typeof encodePack>>();
const checks = new WeakMap<BootImage, string>();

function packOf(boot: BootImage): ReturnType<typeof encodePack> {
  let pack = encoded.get(boot);
  if (pack === undefined) {
    const change = { previous: new Uint8Array(0), current: boot.bytes, header: boot.header };
    const { runs, pages } = measureChange(change, new ImageCheck(), false);
    const contents = { level: 0, base: { kind: 'nothing' }, keep: 0, pages, header: boot.header, runs } as const;
    encoded.set(boot, (pack = encodePack(contents, boot.bytes, effort)));
  }
  return pack;
}

/** The checksum of a boot image. Where the image is stored already, nobody needs its pack, which takes longer. */
export function checkOfBoot(boot: BootImage): string {
  let check = checks.get(boot);
  if (check === undefined) checks.set(boot, (check = ImageCheck.of(boot.bytes).toString()));
  return check;
}

/** Ensures that a boot image is in the store when the transaction commits, and is not collected before. */
export async function prepareBoot(store: Store, boot: BootImage): Promise<TransactionPart> {
  const [entry] = await store.read(boots, [[boot.hash]]);
  if (entry !== undefined) {
    const check: Check = { kind: 'revision', collection: boots, key: [boot.hash], revision: entry.revision };
    return { checks: [check], writes: [] };
  }
  const pack = packOf(boot);
  const record: BootRecord = { pack: pack.hash, parts: pack.parts.length, storedBytes: pack.storedBytes };
  const writes: Write[] = [
    { kind: 'put', collection: boots, key: [boot.hash], value: seal(record) },
    ...pack.parts.map((value, part): Write => ({ kind: 'put', collection: bootParts, key: [boot.hash, part], value })),
  ];
  return { checks: [{ kind: 'absent', collection: boots, key: [boot.hash] }], writes };
}

export async function loadBoot(store: Store, hash: BootHash, limits: HistoryLimits): Promise<Image> {
  const where = `Boot image ${hash.slice(0, 12)}`;
  const [entry] = await store.read(boots, [[hash]]);
  if (entry === undefined) {
    throw new HistoryDamagedError(
      `${where} is not in the store, so no image that starts from it can be rebuilt. Restore the store from a backup.`,
      { hash },
    );
  }
  const record = unseal<BootRecord>(entry.value, where);
  const keys = Array.from({ length: record.parts }, (_, part) => [hash, part]);
  const [first, ...further] = (await store.read(bootParts, keys)).map((part) => part?.value);
  if (first === undefined) throw damaged(where, 'its first part is missing');
  const { pages, decode } = openPack(first, record.pack, where, limits);
  const pack = decode(undefined);
  const bytes = new Uint8Array(pages * pageBytes);
  applyPart(pack.first, bytes);
  pack.furtherParts.forEach((partHash, index) => {
    const part = further[index];
    if (part === undefined) throw damaged(where, `part ${index + 1} is missing`);
    applyPart(decodeFurtherPart(part, partHash, `${where}, part ${index + 1}`, pages), bytes);
  });
  const image = { bytes, header: pack.end.header };
  if (bootImage(image).hash !== hash) throw damaged(where, 'its contents do not match its hash');
  return image;
}
