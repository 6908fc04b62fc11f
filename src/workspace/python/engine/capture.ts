// From memory to image and back, touching only what differs. Memory is compared where it lies against the pages of the image it
// came from; nothing the size of the heap is ever copied.
import { ImageRefusedError } from '../../typescript/engine/errors.ts';
import type { PythonHeader } from './image.ts';
import { pageBytes, PythonImage, wasmPageBytes, zeroPage } from './image.ts';
import type { Instance } from './instance.ts';

/** Changed pages are copied in runs of this many; one small allocation for each would cost more than the copying. */
const slabPages = 16;
/** So many pages are compared at once where they lie in one piece, as those of the boot image do. */
const blockPages = wasmPageBytes / pageBytes;
const zeroBlock = Buffer.alloc(wasmPageBytes);

/** The memory as an image that shares with `base` every page that is still the same. Clears what is dead first. */
export function captureMemory(instance: Instance, header: PythonHeader, base: PythonImage | undefined): PythonImage {
  const memory = instance.bytes;
  const dead = deadRanges(memory, header);
  for (const { from, to } of dead) clear(memory, from, to);
  const isDead = (from: number): boolean =>
    dead.some((range) => from >= range.from && from + wasmPageBytes <= range.to);
  const pages: Uint8Array[] = [];
  let slab = Buffer.alloc(0);
  for (let block = 0; block < memory.length / pageBytes; block += blockPages) {
    if (isDead(block * pageBytes)) {
      for (let index = 0; index < blockPages; index++) pages.push(zeroPage);
      continue;
    }
    if (isSameBlock(memory, base, block)) {
      for (let index = block; index < block + blockPages; index++) pages.push(base?.pages[index] ?? zeroPage);
      continue;
    }
    for (let index = block; index < block + blockPages; index++) {
      const start = index * pageBytes;
      const old = base?.pages[index] ?? zeroPage;
      if (isSamePage(memory, start, old)) {
        pages.push(old);
      } else if (old !== zeroPage && isSamePage(memory, start, zeroPage)) {
        pages.push(zeroPage);
      } else {
        if (slab.length === 0) slab = Buffer.allocUnsafeSlow(slabPages * pageBytes);
        memory.copy(slab, 0, start, start + pageBytes);
        pages.push(slab.subarray(0, pageBytes));
        slab = slab.subarray(pageBytes);
      }
    }
  }
  return new PythonImage(header, pages);
}

/**
 * Makes the memory equal to `image`. `resident` is the image the memory is known to equal now; without it everything is compared.
 * The memory must not be larger than the image: the allocator takes the memory's end as the end of its heap.
 */
export function restoreMemory(instance: Instance, image: PythonImage, resident: PythonImage | undefined): void {
  const { memory } = instance.exports;
  const missing = image.byteLength - memory.buffer.byteLength;
  if (missing < 0) throw new ImageRefusedError('An image cannot be restored into a larger memory.', { missing });
  if (missing > 0) memory.grow(missing / wasmPageBytes);
  const { bytes } = instance;
  for (let block = 0; block < image.pages.length; block += blockPages) {
    if (resident === undefined && isSameBlock(bytes, image, block)) continue;
    for (let index = block; index < block + blockPages; index++) {
      const page = image.pages[index] ?? zeroPage;
      const start = index * pageBytes;
      const same =
        resident === undefined ? isSamePage(bytes, start, page) : page === (resident.pages[index] ?? zeroPage);
      if (!same) bytes.set(page, start);
    }
  }
  instance.zoneNamePointer = image.header.zoneName;
}

function isSamePage(memory: Buffer, start: number, page: Uint8Array): boolean {
  return memory.compare(page, 0, pageBytes, start, start + pageBytes) === 0;
}

/** Whether a block of memory equals the same block of an image; false also where the image's pages do not lie in one piece. */
function isSameBlock(memory: Buffer, image: PythonImage | undefined, block: number): boolean {
  const start = block * pageBytes;
  const first = image?.pages[block] ?? zeroPage;
  const step = first === zeroPage ? 0 : pageBytes;
  for (let index = 1; index < blockPages; index++) {
    const page = image?.pages[block + index] ?? zeroPage;
    if (page.buffer !== first.buffer || page.byteOffset !== first.byteOffset + index * step) return false;
  }
  const whole = first === zeroPage ? zeroBlock : new Uint8Array(first.buffer, first.byteOffset, wasmPageBytes);
  return memory.compare(whole, 0, wasmPageBytes, start, start + wasmPageBytes) === 0;
}

/** Below a stack's pointer, and in what is kept of a stack that is running again, everything is left over from calls that returned. */
function deadRanges(memory: Buffer, header: PythonHeader): { readonly from: number; readonly to: number }[] {
  const { suspended, stackEnd, stepStack, mainStack, aside, asideBytes } = header;
  const used = suspended === null ? aside : memory.readUInt32LE(aside);
  return [
    { from: stackEnd, to: suspended?.deepest ?? stepStack },
    { from: stepStack, to: mainStack },
    { from: Math.min(Math.max(used, aside), aside + asideBytes), to: aside + asideBytes },
  ];
}

/** Blocks never touched stay untouched. */
function clear(memory: Buffer, from: number, to: number): void {
  for (let start = from; start < to; start += wasmPageBytes) {
    const end = Math.min(start + wasmPageBytes, to);
    if (memory.compare(zeroBlock, 0, end - start, start, end) !== 0) memory.fill(0, start, end);
  }
}
