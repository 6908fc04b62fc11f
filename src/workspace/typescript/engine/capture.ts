// From memory to image and back, touching only what differs. The engine marks what it writes to; that is compared with the image the
// memory came from, and nothing takes time in proportion to the heap.
import {
  isOwnPage,
  isSamePage,
  pageBytes,
  pagesLike,
  putBack,
  wasmPageBytes,
  zeroPage,
  type CopyPage,
} from '../../wasm/memory-pages.ts';
import type { ImageHeader } from './engine.ts';
import { ImageRefusedError } from './errors.ts';
import { Image } from './image.ts';
import type { Instance } from './instance.ts';

const zeroBlock = Buffer.alloc(wasmPageBytes);

/** All of the memory as an image. Clears the dead part of the C stack. */
export function captureAll(instance: Instance, header: ImageHeader): Image {
  const memory = instance.bytes;
  clearDeadStack(memory, header.stackPointer);
  return new Image(header, pagesLike(memory, [], memory.length / pageBytes));
}

/**
 * The memory as an image that shares with `base` every page that is still the same. The memory was made equal to `base` when the
 * marks were cleared, so only marked parts can differ. Clears the dead part of the C stack in them.
 */
export function captureMemory(instance: Instance, base: Image, copyPage: CopyPage): Image {
  const memory = instance.bytes;
  const { stackPointer } = base.header;
  const pageCount = memory.length / pageBytes;
  const pages = base.pages.slice(0, pageCount);
  while (pages.length < pageCount) pages.push(zeroPage);
  const changed: number[] = [];
  const ranges: number[] = [];
  let { ownPages } = base;
  const deadPages = Math.floor(stackPointer / pageBytes);
  // An image from elsewhere may have something where all is dead.
  for (let index = 0; index < deadPages; index++) {
    if (pages[index] === zeroPage) continue;
    pages[index] = zeroPage;
    changed.push(index);
    ranges.push(index * pageBytes, (index + 1) * pageBytes);
  }
  const runs = instance.marks.runs(memory.length);
  for (let run = 0; run < runs.length; run += 2) {
    const end = runs[run + 1] as number;
    let from = runs[run] as number;
    if (from < stackPointer) {
      memory.fill(0, from, Math.min(end, stackPointer));
      from = Math.max(from, deadPages * pageBytes);
    }
    if (from < end) ranges.push(from, end);
    while (from < end) {
      const index = Math.floor(from / pageBytes);
      const start = index * pageBytes;
      const to = Math.min(end, start + pageBytes);
      const old = pages[index] as Uint8Array;
      if (index !== changed.at(-1) && memory.compare(old, from - start, to - start, from, to) !== 0) {
        changed.push(index);
        const page = old !== zeroPage && isSamePage(memory, start, zeroPage) ? zeroPage : copyPage(memory, start);
        pages[index] = page;
        ownPages += Number(isOwnPage(page)) - Number(isOwnPage(old));
      }
      from = to;
    }
  }
  return new Image(base.header, pages, { since: base, difference: { pages: changed, ranges }, ownPages });
}

/**
 * Makes the memory equal to `image`. `resident` is the image the memory is known to equal now; without it every page is compared.
 * The memory must not be larger than the image: the engine's allocator takes the memory's end as the end of its heap.
 */
export function restoreMemory(instance: Instance, image: Image, resident: Image | undefined): void {
  const { memory } = instance.exports;
  const missing = image.byteLength - memory.buffer.byteLength;
  if (missing < 0) throw new ImageRefusedError('An image cannot be restored into a larger memory.', { missing });
  if (missing > 0) memory.grow(missing / wasmPageBytes);
  const { bytes } = instance;
  if (resident === undefined) clearDeadStack(bytes, image.header.stackPointer);
  const { pages } = image;
  if (resident === undefined) {
    for (let index = Math.floor(image.header.stackPointer / pageBytes); index < pages.length; index++) {
      const start = index * pageBytes;
      const page = pages[index] as Uint8Array;
      if (bytes.compare(page, 0, pageBytes, start, start + pageBytes) !== 0) bytes.set(page, start);
    }
  } else {
    const there = resident.pages;
    for (let index = 0; index < pages.length; index++) {
      const page = pages[index] as Uint8Array;
      if (page !== (there[index] ?? zeroPage)) bytes.set(page, index * pageBytes);
    }
  }
  instance.exports.__stack_pointer.value = image.header.stackPointer;
}

/**
 * Makes the memory equal to `base` again, which it was when the marks were cleared: what was written since is taken back, and nothing
 * else is looked at. False if the memory has grown, because it cannot shrink.
 */
export function undoWrites(instance: Instance, base: Image): boolean {
  const { bytes } = instance;
  if (bytes.length !== base.byteLength) return false;
  putBack(bytes, instance.marks, base.pages);
  instance.exports.__stack_pointer.value = base.header.stackPointer;
  return true;
}

/** Below the pointer of an idle stack everything is left over from calls that have returned. Blocks never touched stay untouched. */
function clearDeadStack(memory: Buffer, stackPointer: number): void {
  for (let start = 0; start < stackPointer; start += wasmPageBytes) {
    const end = Math.min(start + wasmPageBytes, stackPointer);
    if (memory.compare(zeroBlock, 0, end - start, start, end) !== 0) memory.fill(0, start, end);
  }
}
