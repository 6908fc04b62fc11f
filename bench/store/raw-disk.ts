// The least a durable commit can cost: appending the same bytes to a file and syncing it.
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';

export class RawDisk {
  readonly samples: number[] = [];
  readonly #file: number;
  readonly #bytes: Uint8Array;

  constructor(folder: string, bytes: number) {
    this.#file = openSync(join(folder, 'raw'), 'w');
    this.#bytes = new Uint8Array(bytes).fill(1);
  }

  append(): void {
    const started = performance.now();
    writeSync(this.#file, this.#bytes);
    fdatasyncSync(this.#file);
    this.samples.push(performance.now() - started);
  }

  close(): void {
    closeSync(this.#file);
  }
}
