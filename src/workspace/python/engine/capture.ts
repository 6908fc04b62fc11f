// From memory to image and back, touching only what differs. The engine marks the pages it writes to; those are compared with the
// pages of the image the memory came from, and nothing takes time in proportion to the heap.
import {
  blockPages,
  isSameBlock,
  isSamePage,
  pageBytes,
  pagesLike,
  putBack,
  wasmPageBytes,
  zeroPage,
} from '../../wasm/memory-pages.ts';
import type { Marks } from '../../wasm/marks.ts';
import { ImageRefusedError } from '../../typescript/engine/errors.ts';
import { PythonImage, type PythonHeader } from './image.ts';
import type { Instance } from './instance.ts';

/** All of the memory as an image. Clears what is dead first. */
export function captureAll(instance: Instance, header: PythonHeader): PythonImage {
  const memory = instance.bytes;
  for (const { from, to } of deadRanges(memory, header)) memory.fill(0, from, to);
  return new PythonImage(header, pagesLike(memory, [], memory.length / pageBytes));
}

/**
 * The memory as an image that shares with `base` every page that is still the same. The memory was made equal to `base` when the
 * marks were cleared, so only pages with a mark, and those after them, can differ. Clears what is dead in them first.
 */
export function captureMemory(instance: Instance, header: PythonHeader, base: PythonImage): PythonImage {
  const memory = instance.bytes;
  const pageCount = memory.length / pageBytes;
  const pages = base.pages.slice(0, pageCount);
  while (pages.length < pageCount) pages.push(zeroPage);
  const dead = deadRanges(memory, header);
  const changed: number[] = [];
  const copied: number[] = [];
  for (const index of writtenPages(instance.marks, pageCount, dead, pages)) {
    const start = index * pageBytes;
    for (const { from, to } of dead)
      if (from < start + pageBytes && to > start)
        memory.fill(0, Math.max(from, start), Math.min(to, start + pageBytes));
    if (isSamePage(memory, start, pages[index] as Uint8Array)) continue;
    changed.push(index);
    if (isSamePage(memory, start, zeroPage)) pages[index] = zeroPage;
    else copied.push(index);
  }
  // In one buffer, which costs the host's collector a tenth of many small ones. Most of them change with the next step again; those
  // that do not get a buffer of their own then, so that none of these buffers is kept for a few pages.
  const together = Buffer.allocUnsafeSlow(copied.length * pageBytes);
  for (const [position, index] of copied.entries()) {
    const page = together.subarray(position * pageBytes, (position + 1) * pageBytes);
    memory.copy(page, 0, index * pageBytes, (index + 1) * pageBytes);
    pages[index] = page;
  }
  for (const index of base.pagesTogether)
    if (pages[index] === base.pages[index]) pages[index] = new Uint8Array(base.page(index));
  return new PythonImage(header, pages, { since: base, pages: changed, together: copied });
}

/** Pages that may have been written to, ascending. An image from elsewhere may have something where all is dead; that counts too. */
function writtenPages(
  marks: Marks,
  pageCount: number,
  dead: readonly DeadRange[],
  pages: readonly Uint8Array[],
): readonly number[] {
  const found: number[] = [];
  const runs = marks.runs(pageCount * pageBytes);
  for (let run = 0; run < runs.length; run += 2)
    for (let start = runs[run] as number; start < (runs[run + 1] as number); start += pageBytes)
      found.push(start / pageBytes);
  for (const { from, to } of dead)
    for (let index = Math.floor(from / pageBytes); index * pageBytes < to; index++)
      if (pages[index] !== zeroPage) found.push(index);
  return [...new Set(found)].toSorted((a, b) => a - b);
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

/**
 * Makes the memory equal to `base` again, which it was when the marks were cleared: what was written since is taken back, and nothing
 * else is looked at. False if the memory has grown, because it cannot shrink.
 */
export function undoWrites(instance: Instance, base: PythonImage): boolean {
  const { bytes } = instance;
  if (bytes.length !== base.byteLength) return false;
  putBack(bytes, instance.marks, base.pages);
  instance.zoneNamePointer = base.header.zoneName;
  return true;
}

interface DeadRange {
  readonly from: number;
  readonly to: number;
}

/** Below a stack's pointer, and in what is kept of a stack that is running again, everything is left over from calls that returned. */
function deadRanges(memory: Buffer, header: PythonHeader): readonly DeadRange[] {
  const { suspended, stackEnd, stepStack, mainStack, aside, asideBytes } = header;
  const used = suspended === null ? aside : memory.readUInt32LE(aside);
  return [
    { from: stackEnd, to: suspended?.deepest ?? stepStack },
    { from: stepStack, to: mainStack },
    { from: Math.min(Math.max(used, aside), aside + asideBytes), to: aside + asideBytes },
  ];
}
