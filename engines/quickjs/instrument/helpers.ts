// The functions added to the file: charged forms of the bulk instructions, and what the host calls.
import { signed, unsigned } from './binary.ts';
import { charge, encodeBody } from './code.ts';
import { opcode, prefixed } from './instructions.ts';
import type { FuelOptions, Layout } from './options.ts';
import { f64, functionType, i32, noResult } from './types.ts';

export interface Helper {
  readonly exported?: string;
  readonly type: number[];
  readonly body: Uint8Array;
}

const noLocals = Uint8Array.of(0);
const mostPages = 65_536;

/** In the order the layout gives: copy, fill, grow, spent; then the exported ones. */
export function helperFunctions(options: FuelOptions, layout: Layout): Helper[] {
  const { fuelGlobal, memoryLimitGlobal } = layout;
  const shift = Math.log2(options.bytesPerUnit);
  if (!Number.isInteger(shift)) throw new Error('bytesPerUnit must be a power of two');
  const length = [...parameter(2), opcode.i64ExtendUnsigned];
  const pages = [...parameter(0), opcode.i64ExtendUnsigned];
  const byLength = charge(layout, [...length, opcode.i64Const, ...signed(shift), opcode.i64ShiftRightUnsigned]);
  const byPage = charge(layout, [...pages, opcode.i64Const, ...signed(options.unitsPerPage), opcode.i64Multiply]);
  const three = [...parameter(0), ...parameter(1), ...parameter(2)];
  const refuse = [opcode.if, noResult, opcode.i32Const, ...signed(-1), opcode.return, opcode.end];

  return [
    helper([i32, i32, i32], [], [...byLength, ...three, opcode.prefix, prefixed.memoryCopy, 0, 0]),
    helper([i32, i32, i32], [], [...byLength, ...three, opcode.prefix, prefixed.memoryFill, 0]),
    helper(
      [i32],
      [i32],
      [
        // More pages than there can be would wrap in the addition below.
        ...[...parameter(0), opcode.i32Const, ...signed(mostPages), opcode.i32GreaterUnsigned, ...refuse],
        ...[opcode.memorySize, 0, ...parameter(0), opcode.i32Add],
        ...[opcode.globalGet, ...unsigned(memoryLimitGlobal), opcode.i32GreaterUnsigned, ...refuse],
        ...[...byPage, ...parameter(0), opcode.memoryGrow, 0],
      ],
    ),
    // The host may have put more into the counter. If not, the trap unwinds the whole guest: unlike an exception of the host's,
    // no code in the file can catch it. Without a function in the table the call itself traps.
    helper(
      [],
      [],
      [
        ...[opcode.i32Const, 0, opcode.callIndirect, ...unsigned(layout.hookType), ...unsigned(layout.hookTable)],
        ...[opcode.globalGet, ...unsigned(fuelGlobal), opcode.i64Const, 0, opcode.i64LessSigned],
        ...[opcode.if, noResult, opcode.unreachable, opcode.end],
      ],
    ),
    helper([], [f64], [opcode.globalGet, ...unsigned(fuelGlobal), opcode.f64ConvertI64Signed], 'fuel_get'),
    helper(
      [f64],
      [],
      [...parameter(0), opcode.prefix, prefixed.truncateSaturatingI64, opcode.globalSet, ...unsigned(fuelGlobal)],
      'fuel_set',
    ),
    helper([i32], [], [...parameter(0), opcode.globalSet, ...unsigned(memoryLimitGlobal)], 'memory_limit_set'),
  ];
}

function parameter(index: number): number[] {
  return [opcode.localGet, index];
}

function helper(parameters: number[], results: number[], code: number[], exported?: string): Helper {
  const type = [functionType, ...unsigned(parameters.length), ...parameters, ...unsigned(results.length), ...results];
  const body = encodeBody(noLocals, [...code, opcode.end]);
  return exported === undefined ? { type, body } : { type, body, exported };
}
