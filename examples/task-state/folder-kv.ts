// A backend of one's own: `KVStore` over a folder with a file for each key. `storeOf(kv)` makes a store of it, with transactions,
// history and everything else.
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { KVStore } from 'statek';

export class FolderKV implements KVStore {
  readonly #folder: string;
  /** Of the folder itself, whose names have to reach the disk, too. */
  readonly #handle: number;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
    this.#handle = openSync(folder, 'r');
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    return this.#read(key);
  }

  async set(key: string, value: Uint8Array): Promise<void> {
    this.#write(key, value);
  }

  async delete(key: string): Promise<void> {
    rmSync(this.#path(key), { force: true });
  }

  async has(key: string): Promise<boolean> {
    return existsSync(this.#path(key));
  }

  async getMany(keys: readonly string[]): Promise<readonly (Uint8Array | undefined)[]> {
    return keys.map((key) => this.#read(key));
  }

  async setMany(entries: readonly (readonly [key: string, value: Uint8Array])[]): Promise<void> {
    for (const [key, value] of entries) this.#write(key, value);
  }

  async deleteMany(keys: readonly string[]): Promise<void> {
    for (const key of keys) rmSync(this.#path(key), { force: true });
  }

  /** Atomic among all who use this object, because nothing here waits. For several processes it would need a lock. */
  async compareAndSet(key: string, expected: Uint8Array | undefined, value: Uint8Array): Promise<boolean> {
    const found = this.#read(key);
    const isSame = found === undefined || expected === undefined ? found === expected : found.equals(expected);
    if (isSame) this.#write(key, value);
    return isSame;
  }

  async *keys(prefix: string): AsyncIterable<string> {
    for (const name of readdirSync(this.#folder).filter((one) => one.startsWith('k'))) {
      const key = Buffer.from(name.slice(1), 'base64url').toString();
      if (key.startsWith(prefix)) yield key;
    }
  }

  #read(key: string): Buffer | undefined {
    try {
      return readFileSync(this.#path(key));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error; // a disk that fails is not a key that is missing
    }
  }

  /** The new file is whole and on the disk before it gets its name. */
  #write(key: string, value: Uint8Array): void {
    const next = join(this.#folder, 'next');
    writeFileSync(next, value, { flush: true });
    renameSync(next, this.#path(key));
    fsyncSync(this.#handle);
  }

  async close(): Promise<void> {
    closeSync(this.#handle);
  }

  #path(key: string): string {
    return join(this.#folder, `k${Buffer.from(key).toString('base64url')}`);
  }
}
