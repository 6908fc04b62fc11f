// Compiles a fuel counter into a WASM file: an `i64` global that sinks at every loop head and on the way round every circle of
// calls, and traps below zero. It also charges bulk copies by length and holds memory growth to a limit the host sets.
// The counter is a global, not memory, so it is no part of an image; the same program uses the same fuel on every machine.
import { concat, name, Reader, sectionId, signed, unsigned, writeSections, readSections } from './binary.ts';
import type { Section } from './binary.ts';
import { breakCircles } from './call-graph.ts';
import { opcode, prefixed } from './instructions.ts';
import type { Instruction } from './instructions.ts';
import { callGraph, readModule } from './module.ts';
import type { Module } from './module.ts';

export interface FuelOptions {
  /** Which functions count on entry: those that break every circle of calls, every function, or none. */
  readonly entries: 'circles' | 'all' | 'none';
  /** A bulk copy of this many bytes costs one unit; a power of two. */
  readonly bytesPerUnit: number;
  /** What a newly grown page of 64 KiB costs. */
  readonly unitsPerPage: number;
}

export interface FuelReport {
  readonly functions: number;
  readonly loops: number;
  readonly entries: number;
  readonly bulkOperations: number;
}

const i32 = 0x7f;
const i64 = 0x7e;
const f64 = 0x7c;
const noResult = 0x40;
const mutable = 1;
const noLocals = Uint8Array.of(0);

/** Returns the file with fuel, exporting `fuel_get`, `fuel_set` and `memory_limit_set`. */
export function addFuel(file: Uint8Array, options: FuelOptions): { file: Uint8Array; report: FuelReport } {
  const module = readModule(readSections(file));
  const fuel = module.globalCount;
  const memoryLimit = module.globalCount + 1;
  const firstHelper = module.functionTypes.length;
  const index = { copy: firstHelper, fill: firstHelper + 1, grow: firstHelper + 2 };
  const counted = chooseEntries(module, options.entries);
  const report = { functions: module.bodies.length, loops: 0, entries: counted.size, bulkOperations: 0 };

  const bodies = module.bodies.map((body, position) => {
    const parts: (Uint8Array | number[])[] = [];
    let copied = 0;
    const replace = (from: number, to: number, bytes: number[]): void => {
      parts.push(body.code.subarray(copied, from), bytes);
      copied = to;
    };
    if (counted.has(position + module.importedFunctions)) replace(0, 0, charge(fuel, oneUnit));
    for (const [at, instruction] of body.instructions.entries()) {
      const { start, end } = instruction;
      if (instruction.opcode === opcode.loop) {
        report.loops++;
        replace(end, end, charge(fuel, oneUnit));
      } else if (isBulk(instruction) && body.instructions[at - 1]?.opcode !== opcode.i32Const) {
        report.bulkOperations++;
        const helper = instruction.prefixed === prefixed.memoryCopy ? index.copy : index.fill;
        replace(start, end, [opcode.call, ...unsigned(helper)]);
      } else if (instruction.opcode === opcode.memoryGrow) {
        replace(start, end, [opcode.call, ...unsigned(index.grow)]);
      }
    }
    return encodeBody(body.locals, [...parts, body.code.subarray(copied)]);
  });

  const helpers = helperFunctions(options, fuel, memoryLimit);
  const sections = module.sections.flatMap((section): Section[] => {
    switch (section.id) {
      case sectionId.custom:
        return []; // names and producers: of no use at run time
      case sectionId.type:
        return [
          append(
            section,
            helpers.map(({ type }) => type),
          ),
        ];
      case sectionId.function:
        return [
          append(
            section,
            helpers.map((_, offset) => unsigned(module.typeCount + offset)),
          ),
        ];
      case sectionId.global:
        return [
          append(section, [
            [i64, mutable, opcode.i64Const, ...signed(Number.MAX_SAFE_INTEGER), opcode.end],
            [i32, mutable, opcode.i32Const, ...signed(65_536), opcode.end],
          ]),
        ];
      case sectionId.export:
        return [
          append(
            section,
            helpers.flatMap(({ exported }, offset) =>
              exported === undefined ? [] : [[...name(exported), 0, ...unsigned(firstHelper + offset)]],
            ),
          ),
        ];
      case sectionId.code:
        return [
          {
            id: section.id,
            content: concat([unsigned(bodies.length + helpers.length), ...bodies, ...helpers.map(({ body }) => body)]),
          },
        ];
      default:
        return [section];
    }
  });
  return { file: writeSections(sections), report };
}

function chooseEntries(module: Module, entries: FuelOptions['entries']): Set<number> {
  if (entries === 'none') return new Set();
  if (entries === 'circles') return breakCircles(callGraph(module));
  return new Set(module.bodies.keys().map((position) => position + module.importedFunctions));
}

const oneUnit = [opcode.i64Const, 1];

/** `fuel -= amount; if (fuel < 0) trap`. The trap unwinds the whole guest; the host sees by the counter why. */
function charge(fuel: number, amount: readonly number[]): number[] {
  const global = unsigned(fuel);
  return [
    ...[opcode.globalGet, ...global, ...amount, opcode.i64Subtract, opcode.globalSet, ...global],
    ...[opcode.globalGet, ...global, opcode.i64Const, 0, opcode.i64LessSigned],
    ...[opcode.if, noResult, opcode.unreachable, opcode.end],
  ];
}

interface Helper {
  readonly exported?: string;
  readonly type: number[];
  readonly body: Uint8Array;
}

/** In the order of the indexes given to them above: copy, fill, grow, then what the host calls. */
function helperFunctions(options: FuelOptions, fuel: number, memoryLimit: number): Helper[] {
  const functionType = (parameters: number[], results: number[]): number[] => [
    0x60,
    ...unsigned(parameters.length),
    ...parameters,
    ...unsigned(results.length),
    ...results,
  ];
  const get = (local: number): number[] => [opcode.localGet, local];
  const extended = (local: number): number[] => [...get(local), opcode.i64ExtendUnsigned];
  const shift = Math.log2(options.bytesPerUnit);
  const byLength = charge(fuel, [...extended(2), opcode.i64Const, ...signed(shift), opcode.i64ShiftRightUnsigned]);
  const byPage = charge(fuel, [...extended(0), opcode.i64Const, ...signed(options.unitsPerPage), opcode.i64Multiply]);
  const three = [...get(0), ...get(1), ...get(2)];
  const minusOne = [opcode.i32Const, ...signed(-1)];

  return [
    {
      type: functionType([i32, i32, i32], []),
      body: encodeBody(noLocals, [byLength, three, [opcode.prefix, prefixed.memoryCopy, 0, 0, opcode.end]]),
    },
    {
      type: functionType([i32, i32, i32], []),
      body: encodeBody(noLocals, [byLength, three, [opcode.prefix, prefixed.memoryFill, 0, opcode.end]]),
    },
    {
      type: functionType([i32], [i32]),
      body: encodeBody(noLocals, [
        // Both sides stay below 2^17 or the engine asks for more than there is: compared without sign, neither wraps unseen.
        [...get(0), opcode.i32Const, ...signed(65_536), opcode.i32GreaterUnsigned],
        [opcode.if, noResult, ...minusOne, 0x0f, opcode.end],
        [
          opcode.memorySize,
          0,
          ...get(0),
          opcode.i32Add,
          opcode.globalGet,
          ...unsigned(memoryLimit),
          opcode.i32GreaterUnsigned,
        ],
        [opcode.if, noResult, ...minusOne, 0x0f, opcode.end],
        byPage,
        [...get(0), opcode.memoryGrow, 0, opcode.end],
      ]),
    },
    {
      exported: 'fuel_get',
      type: functionType([], [f64]),
      body: encodeBody(noLocals, [[opcode.globalGet, ...unsigned(fuel), opcode.f64ConvertI64Signed, opcode.end]]),
    },
    {
      exported: 'fuel_set',
      type: functionType([f64], []),
      body: encodeBody(noLocals, [
        [...get(0), opcode.prefix, prefixed.truncateSaturatingI64, opcode.globalSet, ...unsigned(fuel), opcode.end],
      ]),
    },
    {
      exported: 'memory_limit_set',
      type: functionType([i32], []),
      body: encodeBody(noLocals, [[...get(0), opcode.globalSet, ...unsigned(memoryLimit), opcode.end]]),
    },
  ];
}

function isBulk(instruction: Instruction): boolean {
  return instruction.prefixed === prefixed.memoryCopy || instruction.prefixed === prefixed.memoryFill;
}

function encodeBody(locals: Uint8Array, code: readonly (Uint8Array | readonly number[])[]): Uint8Array {
  const content = concat([locals, ...code]);
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
