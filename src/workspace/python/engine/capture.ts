// From memory to image and back, touching only what differs. Memory is compared where it lies against the pages of the image it
// came from; nothing the size of the heap is ever copied.
import { ImageRefusedError } from '../../typescript/engine/errors.ts';
import type { PythonHeader } from './image.ts';
import { pageBytes, PythonImage, zeroPage } from './image.ts';
import type { Instance } from './instance.ts';
import { wasmPageBytes } from './instance.ts';

/** Changed pages are copied in runs of this many; one small allocation for each would cost more than the copying. */
const slabPages = 16;
const zeroBlock = Buffer.alloc(wasmPageBytes);

/** The memory as an image that shares with `base` every page that is still the same. Clears what is dead first. */
export function captureMemory(instance: Instance, header: PythonHeader, base: PythonImage | undefined): PythonImage {
  const memory = instance.bytes;
  clearDead(memory, header);
  const pageCount = memory.length / pageBytes;
  const pages: Uint8Array[] = Array.from({ length: pageCount });
  let slab = Buffer.alloc(0);
  for (let index = 0; index < pageCount; index++) {
    const start = index * pageBytes;
    const end = start + pageBytes;
    const old = base?.pages[index] ?? zeroPage;
    if (memory.compare(old, 0, pageBytes, start, end) === 0) {
      pages[index] = old;
    } else if (old !== zeroPage && memory.compare(zeroPage, 0, pageBytes, start, end) === 0) {
      pages[index] = zeroPage;
    } else {
      if (slab.length === 0) slab = Buffer.allocUnsafeSlow(slabPages * pageBytes);
      memory.copy(slab, 0, start, end);
      pages[index] = slab.subarray(0, pageBytes);
      slab = slab.subarray(pageBytes);
    }
  }
  return new PythonImage(header, pages);
}

/**
 * Makes the memory equal to `image`. `resident` is the image the memory is known to equal now; without it every page is compared.
 * The memory must not be larger than the image: the allocator takes the memory's end as the end of its heap.
 */
export function restoreMemory(instance: Instance, image: PythonImage, resident: PythonImage | undefined): void {
  const { memory } = instance.exports;
  const missing = image.byteLength - memory.buffer.byteLength;
  if (missing < 0) throw new ImageRefusedError('An image cannot be restored into a larger memory.', { missing });
  if (missing > 0) memory.grow(missing / wasmPageBytes);
  const { bytes } = instance;
  for (let index = 0; index < image.pages.length; index++) {
    const page = image.pages[index] ?? zeroPage;
    const start = index * pageBytes;
    const same =
      resident === undefined
        ? bytes.compare(page, 0, pageBytes, start, start + pageBytes) === 0
        : page === (resident.pages[index] ?? zeroPage);
    if (!same) bytes.set(page, start);
  }
  instance.zoneNamePointer = image.header.zoneName;
}

/** Below a stack's pointer, and in what is kept of a stack that is running again, everything is left over from calls that returned. */
function clearDead(memory: Buffer, header: PythonHeader): void {
  const { suspended } = header;
  clear(memory, header.stackEnd, suspended?.deepest ?? header.stepStack);
  clear(memory, header.stepStack, header.mainStack);
  const used = suspended === null ? header.aside : memory.readUInt32LE(header.aside);
  clear(memory, Math.min(Math.max(used, header.aside), header.aside + header.asideBytes), header.aside + header.asideBytes);
}

/** Blocks never touched stay untouched. */
function clear(memory: Buffer, from: number, to: number): void {
  for (let start = from; start < to; start += wasmPageBytes) {
    const end = Math.min(start + wasmPageBytes, to);
    if (memory.compare(zeroBlock, 0, end - start, start, end) !== 0) memory.fill(0, start, end);
  }
}
