// A stand-in for a program: an image that changes at random, a little at a time, as heaps do.
import { bootImage } from '../../src/history/images/image.ts';
import type { BootImage, Image, ImageChange } from '../../src/history/history.ts';
import type { TransactionPart } from '../../src/store/transaction-part.ts';
import type { Transaction } from '../../src/store/store.ts';
import { pageBytes } from '../../src/history/limits.ts';
import type { Random } from '../crash/random.ts';

export class ImageProgram {
  previous: Uint8Array;
  current: Uint8Array;
  header: Uint8Array;
  readonly #random: Random;

  constructor(image: Image, random: Random) {
    this.previous = new Uint8Array(image.bytes);
    this.current = new Uint8Array(image.bytes);
    this.header = new Uint8Array(image.header);
    this.#random = random;
  }

  /** Changes a few random words; sometimes a whole page, or the number of pages. */
  run(): ImageChange {
    const random = this.#random;
    if (random.chance(0.08)) this.#resize(random.between(1, 12));
    if (random.chance(0.05)) {
      this.current = new Uint8Array(this.current);
      const page = random.between(0, this.current.length / pageBytes - 1);
      this.current.fill(random.between(0, 3), page * pageBytes, (page + 1) * pageBytes);
    }
    for (let count = random.between(0, 12); count > 0; count--) {
      const at = random.between(0, this.current.length - 1);
      this.current[at] = random.between(0, 255);
    }
    this.header = new Uint8Array([random.between(0, 1), 2, 3]);
    return { previous: this.previous, current: this.current, header: this.header };
  }

  /** Keeps the changes. */
  keep(): void {
    this.previous = new Uint8Array(this.current);
  }

  /** Discards the changes. */
  drop(): void {
    this.current = new Uint8Array(this.previous);
  }

  image(): Image {
    return { bytes: new Uint8Array(this.current), header: new Uint8Array(this.header) };
  }

  #resize(pages: number): void {
    const resized = new Uint8Array(pages * pageBytes);
    resized.set(this.current.subarray(0, resized.length));
    this.current = resized;
  }
}

export function randomBoot(random: Random): BootImage {
  const bytes = new Uint8Array(random.between(1, 8) * pageBytes);
  for (let count = 2000; count > 0; count--) bytes[random.between(0, bytes.length - 1)] = random.between(0, 255);
  return bootImage({ bytes, header: new Uint8Array([9]) });
}

export function sameImage(a: Image, b: Image): boolean {
  return Buffer.compare(a.bytes, b.bytes) === 0 && Buffer.compare(a.header, b.header) === 0;
}

/** The transaction of a prepared commit: a store accepts nothing else. */
export function transactionOf({ checks, writes }: TransactionPart): Transaction {
  return { checks, writes };
}
