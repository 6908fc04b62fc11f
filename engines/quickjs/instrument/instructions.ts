// Tells where each instruction of a function body begins and ends. An instruction it does not know is refused:
// a guess here would put the counter into the middle of a constant.
import type { Reader } from './binary.ts';

export const opcode = {
  unreachable: 0x00,
  block: 0x02,
  loop: 0x03,
  if: 0x04,
  end: 0x0b,
  branch: 0x0c,
  branchIf: 0x0d,
  return: 0x0f,
  call: 0x10,
  callIndirect: 0x11,
  localGet: 0x20,
  globalGet: 0x23,
  globalSet: 0x24,
  memorySize: 0x3f,
  memoryGrow: 0x40,
  i32Const: 0x41,
  i64Const: 0x42,
  f32Const: 0x43,
  f64Const: 0x44,
  i32GreaterUnsigned: 0x4b,
  i64LessSigned: 0x53,
  i32Add: 0x6a,
  i32Subtract: 0x6b,
  i64Subtract: 0x7d,
  i64Multiply: 0x7e,
  i64ShiftRightUnsigned: 0x88,
  i64ExtendUnsigned: 0xad,
  f64ConvertI64Signed: 0xb9,
  prefix: 0xfc,
} as const;

/** Instructions that follow the 0xfc prefix. */
export const prefixed = { truncateSaturatingI64: 0x06, memoryCopy: 0x0a, memoryFill: 0x0b } as const;

export interface Instruction {
  readonly opcode: number;
  /** For 0xfc, the number after it. */
  readonly prefixed?: number;
  /** The first number that follows: the function called, the type of an indirect call, the value of an `i32.const` as written. */
  readonly operand?: number;
  readonly start: number;
  readonly end: number;
}

/** Reads one instruction; the reader stands behind it afterwards. */
export function readInstruction(reader: Reader): Instruction {
  const start = reader.at;
  const code = reader.byte();
  const made = (more: Partial<Instruction> = {}): Instruction => ({ opcode: code, start, end: reader.at, ...more });

  switch (code) {
    case opcode.block:
    case opcode.loop:
    case opcode.if:
      reader.skipNumber(); // the block's type
      return made();
    case opcode.call: {
      const operand = reader.unsigned();
      return made({ operand });
    }
    case opcode.callIndirect: {
      const operand = reader.unsigned();
      reader.skipNumber(); // the table
      return made({ operand });
    }
    case 0x0e: // br_table
      reader.vector(() => reader.skipNumber());
      reader.skipNumber();
      return made();
    case 0x1c: // select with types
      reader.vector(() => reader.skipNumber());
      return made();
    case opcode.f32Const:
      reader.take(4);
      return made();
    case opcode.f64Const:
      reader.take(8);
      return made();
    case opcode.prefix:
      return made({ prefixed: skipPrefixed(reader) });
    default:
      skipPlain(reader, code);
      return made();
  }
}

function skipPlain(reader: Reader, code: number): void {
  if (code <= 0x01 || code === 0x05 || code === opcode.end || code === opcode.return) return; // unreachable, nop, else, end, return
  if (code === 0x1a || code === 0x1b) return; // drop, select
  if (code === opcode.branch || code === opcode.branchIf) return reader.skipNumber();
  if (code >= 0x20 && code <= 0x24) return reader.skipNumber(); // locals and globals
  if (code >= 0x28 && code <= 0x3e) {
    reader.skipNumber(); // alignment
    return reader.skipNumber(); // offset
  }
  if (code >= 0x3f && code <= 0x42) return reader.skipNumber(); // memory.size, memory.grow, i32.const, i64.const
  if (code >= 0x45 && code <= 0xc4) return; // arithmetic
  throw new Error(`instruction 0x${code.toString(16)} at byte ${reader.at - 1} is not known to the fuel rewriter`);
}

function skipPrefixed(reader: Reader): number {
  const second = reader.unsigned();
  if (second <= 0x07) return second; // saturating truncation
  if (second === prefixed.memoryCopy) reader.take(2);
  else if (second === prefixed.memoryFill) reader.take(1);
  else throw new Error(`instruction 0xfc ${second} at byte ${reader.at} is not known to the fuel rewriter`);
  return second;
}
