// The journal of a file store: decisions are written and synced before they are applied and acknowledged. When it has become much
// longer than what it tells, the contents are saved as a snapshot, and a new journal begins.
import {
  closeSync,
  existsSync,
  fdatasync,
  fsyncSync,
  ftruncateSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { promisify } from 'node:util';
import { StoreClosedError, StoreCorruptError, StoreUnavailableError, StoreUnknownOutcomeError } from '../errors.ts';
import { frameOf } from '../journal/frame.ts';
import { applyItems, encodeContents, encodeItems } from '../journal/items.ts';
import type { Packing } from '../journal/packing.ts';
import type { Changer, Decision } from '../memory/change.ts';
import { Contents } from '../memory/contents.ts';
import { checkEmpty } from '../memory/loading.ts';
import { Acknowledged, readAcknowledged, type Position } from './acknowledged.ts';
import { fileFailure } from './failure.ts';
import { StoreFolder } from './folder.ts';
import { fileMark, markBytes, readFrames, type FramesRead } from './frame-file.ts';

const syncData = promisify(fdatasync);
const nextTurn = promisify(setImmediate);

/** A shorter journal is not worth a snapshot. */
const minJournalBytes = 16 * 1024 * 1024;

export interface JournalSettings {
  readonly packing: Packing;
  readonly durability: 'full' | 'relaxed';
  readonly keepChanges: number | undefined;
  /** For tests: the shortest journal that is replaced by a snapshot. */
  readonly minJournalBytes?: number | undefined;
}

export class FileJournal implements Changer {
  readonly contents = new Contents();
  readonly #settings: JournalSettings;
  readonly #folder: StoreFolder;
  readonly #acknowledged: Acknowledged;
  #number = 0;
  #descriptor = -1;
  #length = 0;
  #frames = 0;
  #last: Promise<unknown> = Promise.resolve();
  #broken: unknown;
  #isClosed = false;

  constructor(path: string, settings: JournalSettings) {
    this.#settings = settings;
    this.#folder = new StoreFolder(path);
    try {
      this.#recover();
      this.#acknowledged = new Acknowledged(this.#folder.acknowledged);
      this.#acknowledge();
      if (settings.durability === 'full') {
        this.#acknowledged.sync();
        this.#folder.sync();
      }
    } catch (error) {
      if (this.#descriptor >= 0) closeSync(this.#descriptor);
      this.#folder.unlock();
      throw fileFailure(error, path);
    }
  }

  change<Result>(decide: () => Decision<Result>): Promise<Result> {
    return this.#next(async () => {
      this.#checkUsable();
      const { changes, result } = decide();
      if (changes.length === 0) return result;
      await this.#append(encodeItems(changes, this.#settings.packing));
      this.contents.apply(changes);
      this.#acknowledge();
      await this.#tidy();
      return result;
    });
  }

  /** Reads the files again, and returns a text for each problem. */
  verify(): Promise<readonly string[]> {
    return this.#next(async () => {
      const found = new Contents();
      const problems: string[] = [];
      const read = (path: string, number: number): void => {
        try {
          const { trouble } = this.#replay(path, number, found);
          if (trouble !== undefined) problems.push(`${path} is damaged: ${trouble}.`);
        } catch (error) {
          problems.push(`${path}: ${error instanceof Error ? error.message : String(error)}`);
        }
      };
      const [snapshot] = this.#folder.numbers('snapshot').slice(-1);
      if (snapshot !== undefined) read(this.#folder.snapshot(snapshot), snapshot);
      read(this.#folder.journal(this.#number), this.#number);
      if (problems.length === 0 && found.head !== this.contents.head)
        problems.push(`The files end at revision ${found.head}, and the store is at ${this.contents.head}.`);
      return problems;
    });
  }

  /** Makes these the contents of an empty store: they hold once the snapshot of them has its name. */
  replace(contents: Contents): Promise<void> {
    return this.#next(async () => {
      this.#checkUsable();
      checkEmpty(this.contents);
      try {
        await this.#compact(contents);
      } catch (error) {
        throw fileFailure(error, this.#folder.path);
      }
    });
  }

  /** The bytes of its files. */
  size(): number {
    return this.#folder.size();
  }

  close(): Promise<void> {
    return this.#next(async () => {
      if (this.#isClosed) return;
      this.#isClosed = true;
      closeSync(this.#descriptor);
      this.#acknowledged.close();
      this.#folder.unlock();
    });
  }

  // One thing after another: each is decided on what the one before it left.
  #next<Result>(action: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(action);
    this.#last = result.catch(() => undefined);
    return result;
  }

  async #append(payload: Uint8Array): Promise<void> {
    const frame = frameOf(this.#number, this.#frames, payload);
    try {
      writeWhole(this.#descriptor, frame, this.#length);
    } catch (error) {
      this.#cutBack(error);
      throw fileFailure(error, this.#folder.path);
    }
    if (this.#settings.durability === 'full') {
      try {
        await syncData(this.#descriptor);
      } catch (error) {
        // Whether the bytes reached the disk is unknown, and another sync would not tell.
        this.#broken = error;
        throw new StoreUnknownOutcomeError(
          `The disk of ${this.#folder.path} failed during a commit, which may or may not have happened. Check the disk and open the store again.`,
          { folder: this.#folder.path },
          error,
        );
      }
    }
    this.#length += frame.length;
    this.#frames++;
  }

  /** Takes back what was written of a frame. */
  #cutBack(error: unknown): void {
    try {
      ftruncateSync(this.#descriptor, this.#length);
    } catch {
      this.#broken = error;
    }
  }

  #acknowledge(): void {
    this.#acknowledged.write({ journal: this.#number, length: this.#length, revision: this.contents.head });
  }

  async #tidy(): Promise<void> {
    const { keepChanges, packing } = this.#settings;
    const { contents } = this;
    try {
      if (keepChanges !== undefined && contents.log.length > keepChanges * 1.25 + 100) {
        const changes = [{ kind: 'pruned', horizon: contents.head - keepChanges }] as const;
        await this.#append(encodeItems(changes, packing));
        contents.apply(changes);
        this.#acknowledge();
      }
      const least = this.#settings.minJournalBytes ?? minJournalBytes;
      if (this.#length > Math.max(least, 2 * contents.bytes)) await this.#compact();
    } catch {
      // The commit itself holds. The next one tries again, and reports what fails for it too.
    }
  }

  /**
   * Saves the contents, or those that are to replace them, begins a new journal, and removes what is not needed any more. Commits wait
   * meanwhile.
   */
  async #compact(contents = this.contents): Promise<void> {
    const number = this.#number;
    const path = this.#folder.snapshot(number);
    const unfinished = `${path}.new`;
    const descriptor = openSync(unfinished, 'w');
    try {
      let position = writeWhole(descriptor, fileMark(), 0);
      let frames = 0;
      for (const piece of encodeContents(contents, this.#settings.packing)) {
        position += writeWhole(descriptor, frameOf(number, frames++, piece), position);
        await nextTurn();
      }
      // An empty piece is the end, so that a snapshot that became shorter is not taken for a whole one.
      writeWhole(descriptor, frameOf(number, frames, Buffer.alloc(0)), position);
      fsyncSync(descriptor);
    } catch (error) {
      rmSync(unfinished, { force: true });
      throw error;
    } finally {
      closeSync(descriptor);
    }
    const previous = this.#descriptor;
    try {
      renameSync(unfinished, path);
      this.#folder.sync();
      this.#begin(number + 1);
    } catch (error) {
      // The snapshot may be there, and then the old journal must not become longer.
      this.#broken = error;
      throw error;
    }
    closeSync(previous);
    if (contents !== this.contents) this.contents.become(contents);
    this.#acknowledge();
    this.#removeOld(number);
  }

  #begin(number: number): void {
    const descriptor = openSync(this.#folder.journal(number), 'w');
    try {
      writeWhole(descriptor, fileMark(), 0);
      fsyncSync(descriptor);
      this.#folder.sync();
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
    this.#descriptor = descriptor;
    this.#number = number;
    this.#length = markBytes;
    this.#frames = 0;
  }

  /** What the snapshot of this number has replaced. */
  #removeOld(snapshot: number): void {
    for (const number of this.#folder.numbers('journal'))
      if (number <= snapshot) rmSync(this.#folder.journal(number), { force: true });
    for (const number of this.#folder.numbers('snapshot'))
      if (number < snapshot) rmSync(this.#folder.snapshot(number), { force: true });
  }

  #recover(): void {
    const acknowledged = readAcknowledged(this.#folder.acknowledged);
    const snapshot = this.#folder.numbers('snapshot').at(-1) ?? 0;
    if (snapshot > 0) this.#load(snapshot);
    const journals = this.#folder.numbers('journal').filter((number) => number > snapshot);
    this.#checkComplete(snapshot, journals, acknowledged);
    const latest = journals.at(-1);
    if (latest === undefined) this.#begin(snapshot + 1);
    else this.#continue(latest, acknowledged);
    if (acknowledged === undefined && (snapshot > 0 || this.#frames > 0))
      throw this.#damaged(this.#folder.acknowledged, 'it is missing');
    if (this.contents.head < (acknowledged?.revision ?? 0))
      throw this.#damaged(
        this.#folder.path,
        `commits up to revision ${acknowledged?.revision} were acknowledged, and it ends at ${this.contents.head}`,
      );
    this.#removeOld(snapshot);
  }

  /** A journal is removed only when a snapshot has replaced it, so none may be missing. */
  #checkComplete(snapshot: number, journals: readonly number[], acknowledged: Position | undefined): void {
    const isExpected = journals.length <= 1 && (journals[0] ?? snapshot + 1) === snapshot + 1;
    const last = Math.max(snapshot, journals.at(-1) ?? 0);
    if (isExpected && (acknowledged?.journal ?? 0) <= last) return;
    throw this.#damaged(this.#folder.path, 'a journal is missing');
  }

  #load(number: number): void {
    const path = this.#folder.snapshot(number);
    const pieces: number[] = [];
    const { trouble } = this.#replay(path, number, this.contents, ({ length }) => pieces.push(length));
    if (trouble !== undefined || pieces.at(-1) !== 0) throw this.#damaged(path, trouble ?? 'its end is missing');
  }

  #continue(number: number, acknowledged: Position | undefined): void {
    const path = this.#folder.journal(number);
    const { end, frames, trouble, isFollowed } = this.#replay(path, number, this.contents);
    const promised = acknowledged?.journal === number ? acknowledged.length : 0;
    if (trouble !== undefined && (isFollowed || end < promised)) throw this.#damaged(path, trouble);
    if (end < promised) throw this.#damaged(path, `it has ${end} bytes, and ${promised} were acknowledged`);
    if (end < markBytes) {
      // The process died while it made the file.
      this.#begin(number);
      return;
    }
    this.#descriptor = openSync(path, 'r+');
    // A commit that was being written when the process died was never acknowledged.
    if (trouble !== undefined) {
      ftruncateSync(this.#descriptor, end);
      fsyncSync(this.#descriptor);
    }
    this.#number = number;
    this.#length = end;
    this.#frames = frames;
  }

  #replay(path: string, number: number, contents: Contents, seen?: (payload: Buffer) => unknown): FramesRead {
    if (!existsSync(path)) throw this.#damaged(path, 'it is missing');
    return readFrames(path, number, (payload) => {
      seen?.(payload);
      applyItems(contents, payload);
    });
  }

  #damaged(path: string, why: string): StoreCorruptError {
    return new StoreCorruptError(`${path} is damaged: ${why}. Restore the folder from a backup.`, { file: path, why });
  }

  #checkUsable(): void {
    if (this.#isClosed) throw new StoreClosedError('The store was closed.');
    if (this.#broken !== undefined)
      throw new StoreUnavailableError(
        `The disk of ${this.#folder.path} failed earlier. Check the disk and open the store again.`,
        { folder: this.#folder.path },
        this.#broken,
      );
  }
}

/** Returns how much was written: all of it. */
function writeWhole(descriptor: number, bytes: Uint8Array, position: number): number {
  let written = 0;
  while (written < bytes.length)
    written += writeSync(descriptor, bytes, written, bytes.length - written, position + written);
  return written;
}
