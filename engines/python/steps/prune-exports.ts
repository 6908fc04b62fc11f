// Leaves only the exports the host uses. What the others alone keep alive can then be dropped, and what is left in the file
// is what guest code can be made to run.
import { concat, Reader, readSections, sectionId, unsigned, writeSections } from '../../quickjs/instrument/binary.ts';

export function pruneExports(file: Uint8Array, kept: readonly string[]): Uint8Array {
  const names = new Set(kept);
  const sections = readSections(file).map((section) => {
    if (section.id !== sectionId.export) return section;
    const reader = new Reader(section.content);
    const exports = reader.vector(() => {
      const start = reader.at;
      const name = new TextDecoder().decode(reader.take(reader.unsigned()));
      reader.byte(); // what it is
      reader.unsigned(); // which one
      return { name, bytes: section.content.subarray(start, reader.at) };
    });
    const left = exports.filter(({ name }) => names.has(name));
    const missing = kept.filter((name) => !left.some((one) => one.name === name));
    if (missing.length > 0) throw new Error(`the file does not export ${missing.join(', ')}`);
    return { id: section.id, content: concat([unsigned(left.length), ...left.map(({ bytes }) => bytes)]) };
  });
  return writeSections(sections);
}
