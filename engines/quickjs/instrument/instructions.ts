// Tells where each instruction of a function body begins and ends. An instruction it does not know is refused:
// a guess here would put the counter into the middle of a constant.
import type { Reader } from './binary.ts';

export const opcode = {
  unreachable: 0x00,
  block: 0x02,
  loop: 0x03,
  if: 0x04,
  try: 0x06,
  delegate: 0x18,
  end: 0x0b,
  branch: 0x0c,
  branchIf: 0x0d,
  return: 0x0f,
  call: 0x10,
  callIndirect: 0x11,
  returnCall: 0x12,
  returnCallIndirect: 0x13,
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
    case opcode.try:
      reader.skipNumber(); // the block's type
      return made();
    case opcode.call:
    case opcode.returnCall: {
      const operand = reader.unsigned();
      return made({ operand });
    }
    case opcode.callIndirect:
    case opcode.returnCallIndirect: {
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
    case 0xfd:
      skipVector(reader);
      return made();
    default:
      skipPlain(reader, code);
      return made();
  }
}

function skipPlain(reader: Reader, code: number): void {
  if (code <= 0x01 || code === 0x05 || code === opcode.end || code === opcode.return) return; // unreachable, nop, else, end, return
  if (code === 0x1a || code === 0x1b) return; // drop, select
  if (code === 0x19 || code === 0xd1) return; // catch_all, ref.is_null
  if (code >= 0x07 && code <= 0x09) return reader.skipNumber(); // catch, throw, rethrow
  if (code === opcode.delegate || code === 0xd0 || code === 0xd2) return reader.skipNumber(); // delegate, ref.null, ref.func
  if (code === opcode.branch || code === opcode.branchIf) return reader.skipNumber();
  if (code >= 0x20 && code <= 0x26) return reader.skipNumber(); // locals, globals and tables
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
  else if (second === 0x09 || second === 0x0d || (second >= 0x0f && second <= 0x11)) reader.skipNumber(); // one index
  else if (second === 0x08 || second === 0x0c || second === 0x0e) {
    reader.skipNumber(); // memory.init, table.init, table.copy
    reader.skipNumber();
  } else throw new Error(`instruction 0xfc ${second} at byte ${reader.at} is not known to the fuel rewriter`);
  return second;
}

// Instructions on vectors of 128 bits: loads and stores, constants, lanes, and arithmetic without anything behind it.
function skipVector(reader: Reader): void {
  const second = reader.unsigned();
  if (second <= 0x0b || second === 0x5c || second === 0x5d) {
    reader.skipNumber(); // alignment
    reader.skipNumber(); // offset
  } else if (second === 0x0c || second === 0x0d) {
    reader.take(16); // a constant, a shuffle
  } else if (second >= 0x15 && second <= 0x22) {
    reader.take(1); // a lane
  } else if (second >= 0x54 && second <= 0x5b) {
    reader.skipNumber();
    reader.skipNumber();
    reader.take(1); // loads and stores of one lane
  } else if (second > 0xff) {
    throw new Error(`instruction 0xfd ${second} at byte ${reader.at} is not known to the fuel rewriter`);
  }
}
