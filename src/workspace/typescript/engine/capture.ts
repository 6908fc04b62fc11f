// From memory to image and back, touching only what differs. Memory is compared where it lies against the pages of the image it
// came from; nothing the size of the heap is ever copied.
import { pageBytes, pagesLike, wasmPageBytes, zeroPage, type CopyPage } from '../../wasm/memory-pages.ts';
import { ImageRefusedError } from './errors.ts';
import { Image } from './image.ts';
import type { Instance } from './instance.ts';

const zeroBlock = Buffer.alloc(wasmPageBytes);

/** The memory as an image that shares with `base` every page that is still the same. Clears the dead part of the C stack. */
export function captureMemory(instance: Instance, base: Image, copyPage?: CopyPage): Image {
  const memory = instance.bytes;
  const { stackPointer } = base.header;
  clearDeadStack(memory, stackPointer);
  const isDead = (start: number): boolean => start + wasmPageBytes <= stackPointer;
  return new Image(base.header, pagesLike(memory, base.pages, memory.length / pageBytes, isDead, copyPage));
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
  const first = resident === undefined ? Math.floor(image.header.stackPointer / pageBytes) : 0;
  for (let index = first; index < image.pages.length; index++) {
    const page = image.pages[index] ?? zeroPage;
    const start = index * pageBytes;
    const same =
      resident === undefined
        ? bytes.compare(page, 0, pageBytes, start, start + pageBytes) === 0
        : page === (resident.pages[index] ?? zeroPage);
    if (!same) bytes.set(page, start);
  }
  instance.exports.__stack_pointer.value = image.header.stackPointer;
}

/** Below the pointer of an idle stack everything is left over from calls that have returned. Blocks never touched stay untouched. */
function clearDeadStack(memory: Buffer, stackPointer: number): void {
  for (let start = 0; start < stackPointer; start += wasmPageBytes) {
    const end = Math.min(start + wasmPageBytes, stackPointer);
    if (memory.compare(zeroBlock, 0, end - start, start, end) !== 0) memory.fill(0, start, end);
  }
}
