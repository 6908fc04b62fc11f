// Compiles marks into a WASM file: every instruction that writes to memory also notes the block it writes to, in a second memory that
// is no part of an image. So the host finds what a program changed without comparing all of its memory.
import { concat, name, Reader, readSections, sectionId, signed, unsigned, writeSections } from './binary.ts';
import type { Section } from './binary.ts';
import { opcode, prefixed, readInstruction, type Instruction } from './instructions.ts';
import { functionType, i32, i64, noResult } from './types.ts';

export interface MarkOptions {
  /** A block has two to this power bytes. */
  readonly blockShift: number;
  /** What is written up to here behind an address is in its block or in the next one, however wide it is. */
  readonly nearOffset: number;
}

/** The export with one byte for each block: not 0 if the block, or the one after it, may have been written to. */
const exportName = 'marks';
const marks = 1;
/** Addresses have 32 bits, and memory comes in units of 64 KiB. */
const unitBits = 16;

const f32 = 0x7d;
const f64 = 0x7c;
const memoryExport = 2;
const vectorPrefix = 0xfd;
const vectorBits = 0x7b;
const localSet = 0x21;
const localTee = 0x22;
const i32Store8 = 0x3a;
const i32ShiftRightUnsigned = 0x76;
/** An alignment with this bit is followed by the number of the memory. */
const otherMemory = 0x40;

/** The type of what each store writes. */
const stored: ReadonlyMap<number, number> = new Map([
  ...[[0x36, i32] as const, [0x37, i64] as const, [0x38, f32] as const, [0x39, f64] as const],
  ...[[0x3a, i32] as const, [0x3b, i32] as const, [0x3c, i64] as const, [0x3d, i64] as const, [0x3e, i64] as const],
]);

interface Helpers {
  readonly copy: number;
  readonly fill: number;
}

export function markWrites(file: Uint8Array, options: MarkOptions): Uint8Array {
  const units = unsigned(2 ** (32 - options.blockShift - unitBits));
  const sections = readSections(file);
  const section = (id: number): Reader =>
    new Reader(sections.find((one) => one.id === id)?.content ?? Uint8Array.of(0));
  const types = section(sectionId.type);
  const parameterCounts = types.vector(() => {
    if (types.byte() !== functionType) throw new Error('only plain function types are known to the marking rewriter');
    const count = types.vector(() => types.byte()).length;
    types.vector(() => types.byte());
    return count;
  });
  const functions = section(sectionId.function);
  const functionTypes = functions.vector(() => functions.unsigned());
  const firstHelper = importedFunctions(section(sectionId.import)) + functionTypes.length;
  const helpers: Helpers = { copy: firstHelper, fill: firstHelper + 1 };
  const code = section(sectionId.code);
  const bodies = code.vector(() => code.take(code.unsigned()));
  const rewritten = bodies.map((body, index) =>
    markBody(body, parameterCounts[functionTypes[index] ?? -1] ?? 0, helpers, options),
  );
  const helperType = [functionType, 3, i32, i32, i32, 0];
  return writeSections(
    sections.map((one): Section => {
      switch (one.id) {
        case sectionId.type:
          return append(one, [helperType]);
        case sectionId.function:
          return append(one, [unsigned(parameterCounts.length), unsigned(parameterCounts.length)]);
        case sectionId.memory:
          return append(one, [[1, ...units, ...units]]);
        case sectionId.export:
          return append(one, [[...name(exportName), memoryExport, marks]]);
        case sectionId.code:
          return {
            id: one.id,
            content: concat([
              unsigned(bodies.length + 2),
              ...rewritten,
              ...[
                helperBody([opcode.prefix, prefixed.memoryCopy, 0, 0], options),
                helperBody([opcode.prefix, prefixed.memoryFill, 0], options),
              ],
            ]),
          };
        default:
          return one;
      }
    }),
  );
}

function importedFunctions(reader: Reader): number {
  let count = 0;
  reader.vector(() => {
    reader.take(reader.unsigned());
    reader.take(reader.unsigned());
    const kind = reader.byte();
    if (kind === 0) {
      count++;
      reader.skipNumber();
    } else if (kind === 3) reader.take(2);
    else throw new Error('only functions and globals may be imported');
  });
  return count;
}

function markBody(
  body: Uint8Array,
  parameters: number,
  helpers: Helpers,
  { blockShift, nearOffset }: MarkOptions,
): Uint8Array {
  const reader = new Reader(body);
  const declared = reader.vector((): [number, number] => [reader.unsigned(), reader.byte()]);
  const given = parameters + declared.reduce((sum, [count]) => sum + count, 0);
  const added: number[] = [];
  // One local for addresses and one for each type of value, made when a store needs it.
  const locals = new Map<number | 'address', number[]>();
  const local = (key: number | 'address'): number[] => {
    let index = locals.get(key);
    if (index === undefined) {
      locals.set(key, (index = unsigned(given + added.length)));
      added.push(key === 'address' ? i32 : key);
    }
    return index;
  };
  const parts: (Uint8Array | number[])[] = [];
  let copied = reader.at;
  while (!reader.done) {
    const instruction = readInstruction(reader);
    const { start, end } = instruction;
    const bulk = helperFor(instruction, helpers);
    if (bulk !== undefined) {
      parts.push(body.subarray(copied, start), [opcode.call, ...unsigned(bulk)]);
      copied = end;
      continue;
    }
    const store = storeAt(body, instruction);
    if (store === undefined) continue;
    const address = local('address');
    const value = local(store.type);
    parts.push(body.subarray(copied, start), [
      ...[localSet, ...value, localTee, ...address],
      ...(store.offset > nearOffset ? [opcode.i32Const, ...signed(store.offset | 0), opcode.i32Add] : []),
      ...[opcode.i32Const, blockShift, i32ShiftRightUnsigned, opcode.i32Const, 1, i32Store8, otherMemory, marks, 0],
      ...[opcode.localGet, ...address, opcode.localGet, ...value],
    ]);
    copied = start;
  }
  parts.push(body.subarray(copied));
  const all = [...declared, ...added.map((type): [number, number] => [1, type])];
  const content = concat([unsigned(all.length), ...all.map(([count, type]) => [...unsigned(count), type]), ...parts]);
  return concat([unsigned(content.length), content]);
}

/** What an instruction that writes a value to memory writes, and how far behind the address. */
function storeAt(
  body: Uint8Array,
  instruction: Instruction,
): { readonly type: number; readonly offset: number } | undefined {
  const reader = new Reader(body, instruction.start + 1);
  let type = stored.get(instruction.opcode);
  if (instruction.opcode === vectorPrefix) {
    const second = reader.unsigned();
    if (second >= 0x58 && second <= 0x5b) throw new Error('stores of one lane are not known to the marking rewriter');
    if (second === 0x0b) type = vectorBits;
  }
  if (type === undefined) return undefined;
  if (reader.unsigned() >= otherMemory) throw new Error('a second memory is not known to the marking rewriter');
  return { type, offset: reader.unsigned() };
}

function helperFor({ opcode: code, prefixed: second }: Instruction, helpers: Helpers): number | undefined {
  if (code !== opcode.prefix) return undefined;
  if (second === 0x08) throw new Error('memory.init is not known to the marking rewriter');
  if (second === prefixed.memoryCopy) return helpers.copy;
  return second === prefixed.memoryFill ? helpers.fill : undefined;
}

/** `if (length > 0) marks.fill(1, from block, to block)`, then the instruction itself. What is outside of memory traps in either. */
function helperBody(instruction: readonly number[], { blockShift }: MarkOptions): Uint8Array {
  const [target, length] = [0, 2].map((index) => [opcode.localGet, index]) as [number[], number[]];
  const blockOf = (address: readonly number[]): number[] => [
    ...address,
    opcode.i32Const,
    blockShift,
    i32ShiftRightUnsigned,
  ];
  const last = [...target, ...length, opcode.i32Add, opcode.i32Const, 1, opcode.i32Subtract];
  const content = [
    0, // no locals
    ...[...length, opcode.if, noResult],
    ...[...blockOf(target), opcode.i32Const, 1],
    ...[...blockOf(last), ...blockOf(target), opcode.i32Subtract, opcode.i32Const, 1, opcode.i32Add],
    ...[opcode.prefix, prefixed.memoryFill, marks, opcode.end],
    ...[...target, opcode.localGet, 1, ...length, ...instruction, opcode.end],
  ];
  return concat([unsigned(content.length), content]);
}

/** Adds items to a section that is one vector. */
function append(section: Section, items: readonly (readonly number[])[]): Section {
  const reader = new Reader(section.content);
  const count = reader.unsigned();
  return {
    id: section.id,
    content: concat([unsigned(count + items.length), section.content.subarray(reader.at), ...items]),
  };
}
