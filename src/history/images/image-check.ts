// An incremental checksum of an image: updating it costs only the changed words. Each non-zero word contributes a hash of
// its position and value to a sum, so a changed word is subtracted and added again. It detects mistakes in rebuilding an
// image; SHA-256 in packs and commits detects corruption in the store.
import { pagesInUse } from './image.ts';
import { pageWords, wordBytes } from '../limits.ts';

export class ImageCheck {
  #low: number;
  #high: number;

  constructor(low = 0, high = 0) {
    this.#low = low;
    this.#high = high;
  }

  static of(bytes: Uint8Array): ImageCheck {
    const words = wordsOf(bytes);
    let low = 0;
    let high = 0;
    // Large parts of most images are empty, and comparing whole pages is fast.
    for (const page of pagesInUse(bytes)) {
      const end = (page + 1) * pageWords;
      for (let index = page * pageWords; index < end; index++) {
        const word = words[index] as number;
        if (word === 0) continue;
        low = (low + mixLow(index, word)) | 0;
        high = (high + mixHigh(index, word)) | 0;
      }
    }
    return new ImageCheck(low, high);
  }

  static parse(text: string): ImageCheck {
    return new ImageCheck(Number.parseInt(text.slice(8), 16) | 0, Number.parseInt(text.slice(0, 8), 16) | 0);
  }

  copy(): ImageCheck {
    return new ImageCheck(this.#low, this.#high);
  }

  replace(index: number, before: number, after: number): void {
    if (before !== 0) {
      this.#low = (this.#low - mixLow(index, before)) | 0;
      this.#high = (this.#high - mixHigh(index, before)) | 0;
    }
    if (after !== 0) {
      this.#low = (this.#low + mixLow(index, after)) | 0;
      this.#high = (this.#high + mixHigh(index, after)) | 0;
    }
  }

  toString(): string {
    return hex(this.#high) + hex(this.#low);
  }
}

/** The image as 32-bit words, in place. Its bytes must be aligned to words; `imageOf` and `measureChange` ensure that. */
export function wordsOf(bytes: Uint8Array): Int32Array {
  return new Int32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / wordBytes);
}

// For a given position both hashes are bijective, so every change of a single word is detected.
function mixLow(index: number, word: number): number {
  let mixed = Math.imul(word ^ Math.imul(index, 0x9e3779b1), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae35);
  return mixed ^ (mixed >>> 13);
}

function mixHigh(index: number, word: number): number {
  let mixed = Math.imul(word, 0x27d4eb2f) ^ Math.imul(index ^ 0x5bd1e995, 0x165667b1);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x7feb352d);
  return mixed ^ (mixed >>> 15);
}

function hex(value: number): string {
  return (value >>> 0).toString(16).padStart(8, '0');
}
