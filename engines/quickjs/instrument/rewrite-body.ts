// Puts the counter into one function: at its entry if it was chosen, at each loop head, and in place of bulk memory instructions.
import { concat, Reader, unsigned } from './binary.ts';
import { charge, closeFrame, encodeBody, oneUnit, openFrame } from './code.ts';
import { opcode, prefixed } from './instructions.ts';
import type { Instruction } from './instructions.ts';
import type { FunctionBody } from './module.ts';
import type { FuelOptions, FuelReport, Layout } from './options.ts';

export interface RewriteInput {
  readonly counted: boolean;
  readonly results: readonly number[];
  readonly layout: Layout;
  readonly options: FuelOptions;
  /** Counted up as things are found. */
  readonly report: FuelReport;
}

export function rewriteBody(
  body: FunctionBody,
  { counted, results, layout, options, report }: RewriteInput,
): Uint8Array {
  const count = charge(layout, oneUnit);
  const { stackPointer } = layout;
  // A tail call leaves the function without passing the end of the frame; such a function keeps what the compiler gave it.
  const frame = counted && !hasTailCall(body) ? Math.max(0, options.leastFrame - frameSize(body, stackPointer)) : 0;
  const parts: (Uint8Array | number[])[] = [];
  if (counted) parts.push(count);
  if (frame > 0) parts.push(openFrame(frame, results, stackPointer));

  let copied = 0;
  const replace = (from: number, to: number, bytes: number[]): void => {
    parts.push(body.code.subarray(copied, from), bytes);
    copied = to;
  };
  let depth = 0;
  let before: Instruction | undefined;
  for (const instruction of body.instructions) {
    const { start, end } = instruction;
    if (isBlock(instruction)) depth++;
    else if (instruction.opcode === opcode.end || instruction.opcode === opcode.delegate) depth--;

    if (instruction.opcode === opcode.loop) {
      report.loops++;
      replace(end, end, count);
    } else if (instruction.opcode === opcode.return && frame > 0) {
      replace(start, end, [opcode.branch, ...unsigned(depth)]); // to the end of the block that `openFrame` began
    } else if (instruction.opcode === opcode.memoryGrow) {
      replace(start, end, [opcode.call, ...unsigned(layout.growFunction)]);
    } else if (isBulk(instruction) && before?.opcode !== opcode.i32Const) {
      // A length written as a constant is small and needs no charge.
      report.bulkOperations++;
      const helper = instruction.prefixed === prefixed.memoryCopy ? layout.copyFunction : layout.fillFunction;
      replace(start, end, [opcode.call, ...unsigned(helper)]);
    }
    before = instruction;
  }
  parts.push(body.code.subarray(copied));
  if (frame > 0) parts.push(closeFrame(frame, stackPointer));
  return encodeBody(body.locals, concat(parts));
}

/** How much of the C stack the compiler gave the function: the constant its first instructions move the stack pointer by. */
function frameSize({ code, instructions }: FunctionBody, stackPointer: number): number {
  const [get, constant, operation] = instructions;
  if (get?.opcode !== opcode.globalGet || new Reader(code, get.start + 1).unsigned() !== stackPointer) return 0;
  if (constant?.opcode !== opcode.i32Const) return 0;
  if (operation?.opcode !== opcode.i32Add && operation?.opcode !== opcode.i32Subtract) return 0;
  return Math.abs(new Reader(code, constant.start + 1).signed());
}

function isBlock({ opcode: code }: Instruction): boolean {
  return code === opcode.block || code === opcode.loop || code === opcode.if || code === opcode.try;
}

function hasTailCall({ instructions }: FunctionBody): boolean {
  return instructions.some(({ opcode: code }) => code === opcode.returnCall || code === opcode.returnCallIndirect);
}

function isBulk(instruction: Instruction): boolean {
  return instruction.prefixed === prefixed.memoryCopy || instruction.prefixed === prefixed.memoryFill;
}
