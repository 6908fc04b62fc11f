// A disk that forgets at a power cut what was not synced. A file's name is kept only once its folder was synced.
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Random } from '../random.ts';
import type { Trace, TracedCall } from './trace.ts';

type Change = { readonly data: Buffer; readonly offset: number } | { readonly size: number };

interface File {
  readonly changes: Change[];
  /** So many changes are certain to outlive a power cut. */
  synced: number;
}

const sectorBytes = 512;

export class Disk {
  readonly #folder: string;
  #names = new Map<string, File>();
  #syncedNames = new Map<string, File>();

  /** As it is when the trace has come to a line; of the folder's files, those that matter after a power cut. */
  constructor(trace: Trace, folder: string, cut: number) {
    this.#folder = folder;
    // Each call counts where it ends, but a sync covers only what had ended when it began.
    const begun = new Map<TracedCall, () => void>();
    const ends = trace.calls.map((call) => ({ call, line: call.ended }));
    const beginnings = trace.calls
      .filter(({ kind }) => kind === 'sync')
      .map((call) => ({ call, line: call.began - 0.5 }));
    const moments = [...ends, ...beginnings].toSorted((a, b) => a.line - b.line);
    for (const { call, line } of moments) {
      if (line >= cut) break;
      if (call.kind === 'sync' && line < call.began) begun.set(call, this.#beginSync(call.path));
      else if (call.kind === 'sync') begun.get(call)?.();
      else this.#change(call);
    }
  }

  /** Writes the files out as they are after the cut. With `torn`, a random part of what was not synced is kept too. */
  writeTo(folder: string, torn: Random | undefined): void {
    mkdirSync(folder, { recursive: true });
    const names = torn?.chance(0.5) ? this.#names : this.#syncedNames;
    for (const [path, file] of names) {
      const changes = file.changes.slice(0, file.synced);
      if (torn !== undefined) changes.push(...file.changes.slice(file.synced).flatMap((change) => tear(change, torn)));
      writeFileSync(join(folder, basename(path)), contentOf(changes));
    }
  }

  #beginSync(path: string): () => void {
    if (path === this.#folder) {
      const names = new Map(this.#names);
      return () => (this.#syncedNames = names);
    }
    const file = this.#names.get(path);
    const count = file?.changes.length ?? 0;
    return () => {
      if (file !== undefined) file.synced = Math.max(file.synced, count);
    };
  }

  #change(call: Exclude<TracedCall, { kind: 'sync' }>): void {
    // The index of the log is made anew when it is missing.
    if (dirname(call.path) !== this.#folder || call.path.endsWith('-shm')) return;
    const file = this.#names.get(call.path);
    if (call.kind === 'create') {
      if (file === undefined) this.#names.set(call.path, { changes: [], synced: 0 });
    } else if (call.kind === 'unlink') this.#names.delete(call.path);
    else if (call.kind === 'write') file?.changes.push({ data: call.data, offset: call.offset });
    else if (call.kind === 'truncate') file?.changes.push({ size: call.size });
  }
}

/** Whole, not at all, or some sectors of it. */
function tear(change: Change, random: Random): Change[] {
  const choice = random.fraction();
  if (choice < 0.4) return [];
  if (choice < 0.6 || 'size' in change) return [change];
  const pieces: Change[] = [];
  const { data, offset } = change;
  for (let start = 0; start < data.length;) {
    const end = Math.min(data.length, start + sectorBytes - ((offset + start) % sectorBytes));
    if (random.chance(0.5)) pieces.push({ data: data.subarray(start, end), offset: offset + start });
    start = end;
  }
  return pieces;
}

function contentOf(changes: readonly Change[]): Buffer {
  const room = Math.max(
    0,
    ...changes.map((change) => ('size' in change ? change.size : change.offset + change.data.length)),
  );
  const content = Buffer.alloc(room);
  let size = 0;
  for (const change of changes) {
    if ('size' in change) {
      content.fill(0, change.size, Math.max(size, change.size));
      size = change.size;
    } else {
      change.data.copy(content, change.offset);
      size = Math.max(size, change.offset + change.data.length);
    }
  }
  return content.subarray(0, size);
}
