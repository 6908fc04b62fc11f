// The few instruction sequences the rewriter inserts.
import { concat, signed, unsigned } from './binary.ts';
import { opcode } from './instructions.ts';
import type { Layout } from './options.ts';
import { noResult } from './types.ts';

export const oneUnit: readonly number[] = [opcode.i64Const, 1];

/** `fuel -= amount; if (fuel < 0) spent()`. See `helpers.ts` for what happens then. */
export function charge({ fuelGlobal, spentFunction }: Layout, amount: readonly number[]): number[] {
  const fuel = unsigned(fuelGlobal);
  return [
    ...[opcode.globalGet, ...fuel, ...amount, opcode.i64Subtract, opcode.globalSet, ...fuel],
    ...[opcode.globalGet, ...fuel, opcode.i64Const, 0, opcode.i64LessSigned],
    ...[opcode.if, noResult, opcode.call, ...unsigned(spentFunction), opcode.end],
  ];
}

/** Takes `bytes` of the C stack and begins a block around the function's body; the body's own closing `end` closes it. */
export function openFrame(bytes: number, results: readonly number[], stackPointer: number): number[] {
  if (results.length > 1) throw new Error('functions with several results are not known to the fuel rewriter');
  return [...moveStack(bytes, opcode.i32Subtract, stackPointer), opcode.block, results[0] ?? noResult];
}

/** Gives the bytes back; stands behind the body, whose result stays on the operand stack. */
export function closeFrame(bytes: number, stackPointer: number): number[] {
  return [...moveStack(bytes, opcode.i32Add, stackPointer), opcode.end];
}

function moveStack(bytes: number, operation: number, stackPointer: number): number[] {
  const pointer = unsigned(stackPointer);
  return [opcode.globalGet, ...pointer, opcode.i32Const, ...signed(bytes), operation, opcode.globalSet, ...pointer];
}

/** A function's body with its length in front, as the code section wants it. */
export function encodeBody(locals: Uint8Array, code: Uint8Array | readonly number[]): Uint8Array {
  return concat([unsigned(locals.length + code.length), locals, code]);
}
