// Pages of images that nothing uses any more, for the next images. A step copies a dozen pages; allocating each anew makes the
// garbage collector the largest part of a small step.
import { pageBytes } from './memory-pages.ts';

/** At most 16 MiB wait here to be used again. */
const maxFree = 4096;

/** An image whose pages can be taken back. */
export interface PagedImage {
  readonly pages: readonly Uint8Array[];
  /** From now on, using the image is an error. */
  retire(): void;
}

export class PagePool {
  readonly #free: Buffer[] = [];
  /** Pages that were copied from memory here. Only one program's images have them; pages that were loaded may be shared. */
  readonly #copied = new WeakSet<Uint8Array>();

  /** A copy of one page of memory. */
  copy(memory: Buffer, start: number): Buffer {
    const free = this.#free.pop();
    // Each in a buffer of its own: pages change one by one, and one that is still in use would keep its neighbours.
    const page = free ?? Buffer.allocUnsafeSlow(pageBytes);
    if (free === undefined) this.#copied.add(page);
    memory.copy(page, 0, start, start + pageBytes);
    return page;
  }

  /**
   * Takes back the pages of an image that was replaced by `successor`, if there is one, for good. `dependents` are images whose equality with some
   * memory is judged by the identity of their pages: those that have one of these pages are no longer reliable, and returned.
   */
  retire<Image extends PagedImage>(
    image: Image,
    successor: Image | undefined,
    dependents: readonly Image[],
  ): ReadonlySet<Image> {
    const unreliable = new Set<Image>(dependents.includes(image) ? [image] : []);
    const { pages } = image;
    // From the end, so that the next image of the same program finds a page where it had one before.
    for (let index = pages.length - 1; index >= 0; index--) {
      const page = pages[index] as Uint8Array;
      if (page === successor?.pages[index] || !this.#copied.has(page)) continue;
      for (const dependent of dependents) if (dependent.pages[index] === page) unreliable.add(dependent);
      if (this.#free.length < maxFree) this.#free.push(page as Buffer);
    }
    image.retire();
    return unreliable;
  }
}
