// From memory to image and back, touching only what differs. Memory is compared where it lies against the pages of the image it
// came from; nothing the size of the heap is ever copied.
import {
  blockPages,
  isSameBlock,
  isSamePage,
  pageBytes,
  pagesLike,
  wasmPageBytes,
  zeroPage,
} from '../../wasm/memory-pages.ts';
import { ImageRefusedError } from '../../typescript/engine/errors.ts';
import { PythonImage, type PythonHeader } from './image.ts';
import type { Instance } from './instance.ts';

const zeroBlock = Buffer.alloc(wasmPageBytes);

/** The memory as an image that shares with `base` every page that is still the same. Clears what is dead first. */
export function captureMemory(instance: Instance, header: PythonHeader, base: PythonImage | undefined): PythonImage {
  const memory = instance.bytes;
  const dead = deadRanges(memory, header);
  for (const { from, to } of dead) clear(memory, from, to);
  const isDead = (from: number): boolean =>
    dead.some((range) => from >= range.from && from + wasmPageBytes <= range.to);
  return new PythonImage(header, pagesLike(memory, base?.pages ?? [], memory.length / pageBytes, isDead));
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
    if (resident === undefined && isSameBlock(bytes, image.pages, block)) continue;
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
