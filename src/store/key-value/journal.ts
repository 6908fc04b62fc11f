// The journal of a store in a KVStore. A change is written under a new name first; then the one value called head, which names the
// latest change, is replaced if it is still what was read. So processes cannot overwrite each other, and every process that finds
// another head reads the changes in between. Now and then the contents are saved as a snapshot, and what it replaces is removed.
import { randomBytes } from 'node:crypto';
import { StoreClosedError, StoreCorruptError, StoreNewerError, StoreUnknownOutcomeError } from '../errors.ts';
import { frameAt, frameOf, type FrameSource } from '../journal/frame.ts';
import { applyItems, encodeContents, encodeItems } from '../journal/items.ts';
import type { Packing } from '../journal/packing.ts';
import type { Changer, Decision } from '../memory/change.ts';
import { Contents } from '../memory/contents.ts';
import type { KVStore } from './key-value-store.ts';

interface Head {
  readonly format: 1;
  /** The number of the latest change. */
  readonly sequence: number;
  /** The name of the latest change; null if there was none since the snapshot. */
  readonly latest: string | null;
  readonly snapshot: { readonly name: string; readonly pieces: number; readonly sequence: number } | null;
}

const headKey = 'statek/head';
const changesPrefix = 'statek/changes/';
const snapshotsPrefix = 'statek/snapshots/';
const packing: Packing = { format: 'json', compression: 'zstd' };
const minChangeBytes = 1024 * 1024;
const piecesAtOnce = 8;

export class KeyValueJournal implements Changer {
  readonly contents = new Contents();
  readonly #kv: KVStore;
  readonly #minBytes: number;
  #headBytes: Uint8Array | undefined;
  #head: Head = { format: 1, sequence: 0, latest: null, snapshot: null };
  #changeBytes = 0;
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(kv: KVStore, minBytes = minChangeBytes) {
    this.#kv = kv;
    this.#minBytes = minBytes;
  }

  /** Applies what other processes have changed. */
  catchUp(): Promise<void> {
    return this.#next(() => this.#catchUp());
  }

  change<Result>(decide: () => Decision<Result>): Promise<Result> {
    return this.#next(async () => {
      for (;;) {
        await this.#catchUp();
        const { changes, result } = decide();
        if (changes.length === 0) return result;
        if (await this.#append(encodeItems(changes, packing))) {
          this.contents.apply(changes);
          // A snapshot that fails is made after another change.
          if (this.#changeBytes > Math.max(this.#minBytes, 2 * this.contents.bytes))
            await this.#compact().catch(() => undefined);
          return result;
        }
      }
    });
  }

  /** Reads everything again, and returns a text for each problem. */
  verify(): Promise<readonly string[]> {
    return this.#next(async () => {
      await this.#catchUp();
      try {
        await this.#load(new Contents(), this.#head, undefined);
        return [];
      } catch (error) {
        return [error instanceof Error ? error.message : String(error)];
      }
    });
  }

  close(): Promise<void> {
    return this.#next(async () => {
      this.#isClosed = true;
      await this.#kv.close?.();
    });
  }

  #next<Result>(action: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(() => {
      if (this.#isClosed) throw new StoreClosedError('The store was closed.');
      return action();
    });
    this.#last = result.catch(() => undefined);
    return result;
  }

  async #catchUp(): Promise<void> {
    for (;;) {
      const bytes = await this.#kv.get(headKey);
      if (sameBytes(bytes, this.#headBytes)) return;
      // The first change makes the head.
      if (bytes === undefined && this.#head.sequence === 0) return;
      const head = headOf(bytes);
      const known = this.#headBytes === undefined ? undefined : this.#head;
      const canContinue = known !== undefined && (head.snapshot?.sequence ?? 0) <= known.sequence;
      try {
        if (canContinue) await this.#load(this.contents, head, known);
        else {
          this.contents.clear();
          this.#changeBytes = 0;
          await this.#load(this.contents, head, undefined);
        }
      } catch (error) {
        // Another process may have made a snapshot and removed what was being read.
        const now = await this.#kv.get(headKey);
        this.#headBytes = undefined;
        if (sameBytes(now, bytes)) throw error;
        continue;
      }
      this.#head = head;
      this.#headBytes = bytes;
    }
  }

  /** Applies the changes up to a head: those after `known`, or everything. Nothing is applied before all of it was read. */
  async #load(contents: Contents, head: Head, known: Head | undefined): Promise<void> {
    const { snapshot } = head;
    const payloads: Buffer[] = [];
    let first = known?.sequence;
    if (first === undefined) {
      first = snapshot?.sequence ?? 0;
      for (let piece = 0; piece < (snapshot?.pieces ?? 0); piece++)
        payloads.push(await this.#read(pieceKey(snapshot?.name ?? '', piece), piece));
    }
    const changes: Buffer[] = [];
    let name = head.latest;
    for (let { sequence } = head; sequence > first; sequence--) {
      const { previous, items } = linkOf(await this.#read(name ?? '', sequence));
      changes.push(items);
      name = previous;
    }
    for (const payload of [...payloads, ...changes.toReversed()]) applyItems(contents, payload);
    this.#changeBytes += changes.reduce((sum, { length }) => sum + length, 0);
  }

  async #append(items: Uint8Array): Promise<boolean> {
    const sequence = this.#head.sequence + 1;
    const name = `${changesPrefix}${padded(sequence)}-${randomBytes(8).toString('hex')}`;
    await this.#kv.set(name, frameOf(0, sequence, linked(this.#head.latest, items)));
    const isFirst = await this.#replaceHead({ ...this.#head, sequence, latest: name });
    if (isFirst) this.#changeBytes += items.length;
    else await this.#kv.delete(name);
    return isFirst;
  }

  async #replaceHead(head: Head): Promise<boolean> {
    const bytes = frameOf(0, 0, Buffer.from(JSON.stringify(head), 'utf8'));
    if (!(await this.#compareHead(bytes))) return false;
    this.#head = head;
    this.#headBytes = bytes;
    return true;
  }

  async #compareHead(bytes: Uint8Array): Promise<boolean> {
    try {
      return await this.#kv.compareAndSet(headKey, this.#headBytes, bytes);
    } catch (error) {
      // Everything is read again before the next answer, and shows what became of it.
      this.#headBytes = undefined;
      throw new StoreUnknownOutcomeError(
        'The KVStore failed during a commit, which may or may not have happened. Read before you try again.',
        {},
        error,
      );
    }
  }

  async #compact(): Promise<void> {
    const { sequence } = this.#head;
    const name = `${snapshotsPrefix}${padded(sequence)}-${randomBytes(8).toString('hex')}`;
    const pieces = [...encodeContents(this.contents, packing)].map(
      (payload, piece) => [pieceKey(name, piece), frameOf(0, piece, payload)] as const,
    );
    for (let start = 0; start < pieces.length; start += piecesAtOnce)
      await this.#kv.setMany(pieces.slice(start, start + piecesAtOnce));
    const snapshot = { name, pieces: pieces.length, sequence };
    if (!(await this.#replaceHead({ ...this.#head, latest: null, snapshot }))) {
      await this.#kv.deleteMany(pieces.map(([key]) => key));
      return;
    }
    this.#changeBytes = 0;
    await this.#removeReplaced(name, sequence);
  }

  /** What the snapshot has replaced, and what processes have left that died before they replaced the head. */
  async #removeReplaced(snapshot: string, sequence: number): Promise<void> {
    const replaced: string[] = [];
    for await (const key of this.#kv.keys(changesPrefix))
      if (Number(key.slice(changesPrefix.length).split('-')[0]) <= sequence) replaced.push(key);
    for await (const key of this.#kv.keys(snapshotsPrefix))
      if (!key.startsWith(snapshot) && Number(key.slice(snapshotsPrefix.length).split('-')[0]) <= sequence)
        replaced.push(key);
    await this.#kv.deleteMany(replaced);
  }

  async #read(key: string, sequence: number): Promise<Buffer> {
    const bytes = await this.#kv.get(key);
    if (bytes === undefined) throw damaged(key, 'it is missing');
    const found = frameAt(sourceOf(bytes), 0, 0, sequence);
    if (found.status === 'whole') return found.payload;
    throw damaged(key, found.status === 'cut off' ? 'it is cut off' : found.why);
  }
}

function damaged(key: string, why: string): StoreCorruptError {
  return new StoreCorruptError(`The value '${key}' is damaged: ${why}. Restore the store from a backup.`, { key, why });
}

function headOf(bytes: Uint8Array | undefined): Head {
  if (bytes === undefined) throw damaged(headKey, 'it is missing');
  const found = frameAt(sourceOf(bytes), 0, 0, 0);
  if (found.status !== 'whole') throw damaged(headKey, 'it is not the head of a journal');
  const head = JSON.parse(found.payload.toString('utf8')) as Head;
  const { format }: { readonly format: number } = head;
  if (format !== 1)
    throw new StoreNewerError(
      `The KVStore was written in format ${format}, and this Statek reads format 1. Use a newer Statek.`,
    );
  return head;
}

/** The name of the change before, and the change. */
function linked(previous: string | null, items: Uint8Array): Buffer {
  const name = Buffer.from(previous ?? '', 'latin1');
  return Buffer.concat([Buffer.from([name.length]), name, items]);
}

function linkOf(payload: Buffer): { previous: string; items: Buffer } {
  const length = payload[0] ?? 0;
  return { previous: payload.toString('latin1', 1, 1 + length), items: payload.subarray(1 + length) };
}

function sourceOf(given: Uint8Array): FrameSource {
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
  return { size: bytes.length, bytes: (position, length) => bytes.subarray(position, position + length) };
}

function pieceKey(snapshot: string, piece: number): string {
  return `${snapshot}/${padded(piece)}`;
}

function padded(number: number): string {
  return String(number).padStart(12, '0');
}

function sameBytes(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return Buffer.compare(a, b) === 0;
}
