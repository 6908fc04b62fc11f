// Compiles a fuel counter into a WASM file: an `i64` global that sinks at every loop head and on the way round every circle of
// calls. Below zero the host is asked for more, and if it gives none the guest traps. It also charges bulk copies by length and holds memory growth to a limit the host sets.
// The counter is a global, not memory, so it is no part of an image; the same program uses the same fuel on every machine.
import { concat, name, Reader, readSections, sectionId, signed, unsigned, writeSections } from './binary.ts';
import type { Section } from './binary.ts';
import { breakCircles } from './call-graph.ts';
import { helperFunctions } from './helpers.ts';
import { opcode } from './instructions.ts';
import { callGraph, readModule } from './module.ts';
import type { Module } from './module.ts';
import { rewriteBody } from './rewrite-body.ts';
import type { FuelOptions, FuelReport, Layout } from './options.ts';
import { functionReference, hasMost, i32, i64, mutable, tableExport } from './types.ts';

/** Returns the file with fuel, exporting `fuel_get`, `fuel_set`, `fuel_hook` and `memory_limit_set`. */
export function addFuel(file: Uint8Array, options: FuelOptions): { file: Uint8Array; report: FuelReport } {
  const module = readModule(readSections(file));
  const firstHelper = module.functionTypes.length;
  const layout: Layout = {
    fuelGlobal: module.globalCount,
    memoryLimitGlobal: module.globalCount + 1,
    copyFunction: firstHelper,
    fillFunction: firstHelper + 1,
    growFunction: firstHelper + 2,
    spentFunction: firstHelper + 3,
    hookTable: module.tableCount,
    hookType: module.types.length + 3,
    stackPointer: module.exportedGlobals.get('__stack_pointer') ?? 0,
  };
  const counted = chooseEntries(module, options);
  const report = { functions: module.bodies.length, loops: 0, entries: counted.size, bulkOperations: 0 };
  const bodies = module.bodies.map((body, position) => {
    const index = position + module.importedFunctions;
    const results = module.types[module.functionTypes[index] ?? 0]?.results ?? [];
    return rewriteBody(body, { counted: counted.has(index), results, layout, options, report });
  });
  const helpers = helperFunctions(options, layout);

  const sections = withTableSection(module.sections).flatMap((section): Section[] => {
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
            helpers.map((_, offset) => unsigned(module.types.length + offset)),
          ),
        ];
      case sectionId.table:
        return [append(section, [[functionReference, hasMost, 1, 1]])];
      case sectionId.global:
        return [
          append(section, [
            [i64, mutable, opcode.i64Const, ...signed(Number.MAX_SAFE_INTEGER), opcode.end],
            [i32, mutable, opcode.i32Const, ...signed(65_536), opcode.end],
          ]),
        ];
      case sectionId.export:
        return [
          append(section, [
            ...helpers.flatMap(({ exported }, offset) =>
              exported === undefined ? [] : [[...name(exported), 0, ...unsigned(firstHelper + offset)]],
            ),
            [...name('fuel_hook'), tableExport, ...unsigned(layout.hookTable)],
          ]),
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

function chooseEntries(module: Module, { entries, callingImports }: FuelOptions): Set<number> {
  if (entries === 'circles') return breakCircles(callGraph(module, callingImports));
  return new Set(module.bodies.map((_, position) => position + module.importedFunctions));
}

/** A file without tables gets an empty section of them, where the order of sections wants it. */
function withTableSection(sections: readonly Section[]): readonly Section[] {
  if (sections.some(({ id }) => id === sectionId.table)) return sections;
  const after = sections.findIndex(({ id }) => id > sectionId.table);
  return sections.toSpliced(after, 0, { id: sectionId.table, content: Uint8Array.of(0) });
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
