// Rebuilds images: applies the packs on the path to the boot image, in order. Every pack is verified against the hash in
// the next one, and the finished image against the checksum in its commit.
import { setImmediate } from 'node:timers/promises';
import type { Store } from '../../store/door.ts';
import { loadBoot } from './boot-store.ts';
import { packs } from '../collections.ts';
import { describeCommit, sentenceStart, type CommitRecord } from '../commit-record.ts';
import { damaged } from '../envelope.ts';
import type { BootHash, Image } from '../history.ts';
import { ImageCache } from './image-cache.ts';
import { ImageCheck } from './image-check.ts';
import { Lineage, type PackEnd } from './lineage.ts';
import { pageBytes, type HistoryLimits } from '../limits.ts';
import { decodeFurtherPart, openPack, type DecodedPack, type DecodedPart, type OpenedPack } from './pack.ts';
import { readPath, type Address } from './path.ts';
import { ImageInProgress, type RebuiltImage } from './rebuilt-image.ts';

const minBootCacheBytes = 16 * 1024 * 1024;

interface FoundPack {
  readonly address: Address;
  readonly hash: string;
  readonly pack: OpenedPack;
}

interface Boot extends Image {
  readonly check: ImageCheck;
  readonly memoryBytes: number;
}

interface Restored {
  readonly image: RebuiltImage;
  readonly lineage: Lineage;
}

export class Restorer {
  readonly #store: Store;
  readonly #limits: HistoryLimits;
  readonly #images: ImageCache<RebuiltImage>;
  // Separate from the images, so that a burst of checkouts does not evict boot images, which every restore needs.
  readonly #boots: ImageCache<Boot>;
  readonly #loading = new Map<BootHash, Promise<Boot>>();

  constructor(store: Store, limits: HistoryLimits, cacheBytes: number) {
    this.#store = store;
    this.#limits = limits;
    this.#images = new ImageCache(cacheBytes);
    this.#boots = new ImageCache(Math.max(cacheBytes, minBootCacheBytes));
  }

  /** The image of a commit. */
  async image(record: CommitRecord): Promise<RebuiltImage> {
    return this.#images.get(nameOf(record)) ?? this.#rebuild(record, undefined);
  }

  /** The image together with its lineage, to commit on top of it. */
  async restore(record: CommitRecord): Promise<Restored> {
    const boot = await this.#boot(record.boot);
    const lineage = new Lineage(boot.bytes.length / pageBytes, boot.header);
    return { image: await this.#rebuild(record, lineage), lineage };
  }

  async #rebuild(record: CommitRecord, lineage: Lineage | undefined): Promise<RebuiltImage> {
    const boot = await this.#boot(record.boot);
    const path = await this.#readPacks(record);
    const image = new ImageInProgress(boot.bytes, boot.check.copy());
    let last: PackEnd = { header: boot.header, dictionary: undefined };
    for (const { address, hash, pack } of path) {
      const { keep, pages } = pack;
      if (keep > image.pageCount)
        throw damaged(placeOf(address), `it needs ${keep} pages of an image that has ${image.pageCount}`);
      image.resize(keep, pages);
      const decoded = pack.decode(last);
      last = decoded.end;
      const parts = await this.#parts(address, decoded, pages);
      for (const part of parts) image.apply(part);
      if (lineage !== undefined) {
        const wordBytes = parts.reduce((sum, part) => sum + part.words.length, 0);
        const runs = parts.length === 1 ? decoded.first.runs : parts.flatMap((part) => part.runs);
        const change = { runs, keep };
        lineage.append({ address, hash, level: pack.level, wordBytes, pages }, change, last);
      }
    }
    const finished = image.finish(last.header);
    if (finished.image.pageCount !== record.pages || finished.check !== record.check) {
      throw damaged(sentenceStart(describeCommit(record)), 'the rebuilt image differs from the committed one');
    }
    this.#images.set(nameOf(record), finished.image);
    return finished.image;
  }

  /** A process that starts continues many programs at once; what they all began with is loaded once. */
  async #boot(hash: BootHash): Promise<Boot> {
    const cached = this.#boots.get(hash);
    if (cached !== undefined) return cached;
    let loading = this.#loading.get(hash);
    if (loading === undefined) {
      loading = this.#loadBoot(hash).finally(() => this.#loading.delete(hash));
      this.#loading.set(hash, loading);
    }
    return loading;
  }

  async #loadBoot(hash: BootHash): Promise<Boot> {
    const { bytes, header } = await loadBoot(this.#store, hash, this.#limits);
    const boot = { bytes, header, check: ImageCheck.of(bytes), memoryBytes: bytes.length };
    this.#boots.set(hash, boot);
    // That took tens of milliseconds; what is loaded in the background meanwhile can go on.
    await setImmediate();
    return boot;
  }

  /** Reads all packs of a path in one batch and verifies them from the last back to the boot image. */
  async #readPacks(record: CommitRecord): Promise<readonly FoundPack[]> {
    const path = readPath(record.path);
    const keys = path.map(({ chain, sequence }) => [chain, sequence, 0]);
    const entries = keys.length === 0 ? [] : await this.#store.read(packs, keys);
    const found: FoundPack[] = [];
    let expected = record.pack;
    for (let index = path.length - 1; index >= 0; index--) {
      const address = path[index] as Address;
      const where = placeOf(address);
      const part = entries[index]?.value;
      if (part === undefined) throw damaged(where, 'it is missing');
      if (expected === null) throw damaged(where, 'nothing refers to it');
      const pack = openPack(part, expected, where, this.#limits);
      found.push({ address, hash: expected, pack });
      expected = this.#baseHash(pack, path[index - 1], record.boot, where);
    }
    if (expected !== null)
      throw damaged(sentenceStart(describeCommit(record)), 'its path does not start at its boot image');
    return found.toReversed();
  }

  #baseHash({ base }: OpenedPack, before: Address | undefined, boot: BootHash, where: string): string | null {
    if (base.kind === 'boot' && base.hash === boot && before === undefined) return null;
    if (base.kind === 'pack' && before !== undefined) return base.hash;
    throw damaged(where, 'it applies to another image');
  }

  async #parts(address: Address, { first, furtherParts }: DecodedPack, pages: number): Promise<readonly DecodedPart[]> {
    if (furtherParts.length === 0) return [first];
    const keys = furtherParts.map((_, index) => [address.chain, address.sequence, index + 1]);
    const entries = await this.#store.read(packs, keys);
    const further = furtherParts.map((hash, index) => {
      const where = `${placeOf(address)}, part ${index + 1},`;
      const part = entries[index]?.value;
      if (part === undefined) throw damaged(where, 'it is missing');
      return decodeFurtherPart(part, hash, where, pages);
    });
    return [first, ...further];
  }
}

// Several commits (forks, rollbacks) may have the same pack and so the same image.
function nameOf(record: CommitRecord): string {
  return record.pack ?? record.boot;
}

function placeOf(address: Address): string {
  return `The pack of ${describeCommit(address)}`;
}
