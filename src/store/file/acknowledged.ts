// How far commits were acknowledged, beside the journal. It is written after every sync but never synced itself: it may fall back
// after a power failure, and never runs ahead. What is damaged up to there is damage, and what is cut off after it was never promised.
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { StoreCorruptError } from '../errors.ts';
import type { Revision } from '../store.ts';

export interface Position {
  readonly journal: number;
  readonly length: number;
  readonly revision: Revision;
}

const slotBytes = 32;

/** Written in two slots in turn, so that one is always whole. */
export class Acknowledged {
  readonly #descriptor: number;
  #count: number;

  constructor(file: string) {
    const found = existsSync(file) ? newestSlot(file) : undefined;
    this.#count = found?.count ?? 0;
    this.#descriptor = openSync(file, found === undefined ? 'w' : 'r+');
  }

  write({ journal, length, revision }: Position): void {
    const slot = Buffer.alloc(slotBytes);
    slot.writeUInt32LE(++this.#count >>> 0, 0);
    slot.writeUInt32LE(journal, 4);
    slot.writeDoubleLE(length, 8);
    slot.writeDoubleLE(revision, 16);
    slot.writeUInt32LE(crc32(slot.subarray(0, 24)), 24);
    writeSync(this.#descriptor, slot, 0, slotBytes, (this.#count % 2) * slotBytes);
  }

  sync(): void {
    fsyncSync(this.#descriptor);
  }

  close(): void {
    fsyncSync(this.#descriptor);
    closeSync(this.#descriptor);
  }
}

/** Undefined if nothing was ever acknowledged. */
export function readAcknowledged(file: string): Position | undefined {
  return existsSync(file) ? newestSlot(file)?.position : undefined;
}

function newestSlot(file: string): { count: number; position: Position } | undefined {
  const bytes = readFileSync(file);
  // It is made empty before anything is written to it.
  if (bytes.length === 0) return undefined;
  const slots = [0, 1].flatMap((index) => {
    const slot = bytes.subarray(index * slotBytes, (index + 1) * slotBytes);
    if (slot.length < 28 || crc32(slot.subarray(0, 24)) !== slot.readUInt32LE(24)) return [];
    const [journal, length, revision] = [slot.readUInt32LE(4), slot.readDoubleLE(8), slot.readDoubleLE(16)];
    return [{ count: slot.readUInt32LE(0), position: { journal, length, revision } }];
  });
  const newest = slots.toSorted((a, b) => b.count - a.count)[0];
  if (newest === undefined)
    throw new StoreCorruptError(`${file} is damaged: its checksums are wrong. Restore the folder from a backup.`, {
      file,
    });
  return newest;
}
