// What the fuel rewriter has to know of a WASM file: its functions, who calls whom, and what tables may be called through.
import { Reader, sectionId } from './binary.ts';
import type { Section } from './binary.ts';
import { opcode, readInstruction } from './instructions.ts';
import type { Instruction } from './instructions.ts';
import type { FunctionCalls } from './call-graph.ts';
import { functionType } from './types.ts';

export interface FunctionBody {
  /** The declaration of the function's locals, as written. */
  readonly locals: Uint8Array;
  /** The instructions' bytes, with the closing `end`. */
  readonly code: Uint8Array;
  readonly instructions: readonly Instruction[];
}

export interface FunctionType {
  readonly parameters: readonly number[];
  readonly results: readonly number[];
}

export interface Module {
  readonly sections: readonly Section[];
  readonly types: readonly FunctionType[];
  readonly importedFunctions: number;
  /** Imported functions by `module.name`, in order. */
  readonly importNames: readonly string[];
  /** The type of each function, imported ones first. */
  readonly functionTypes: readonly number[];
  /** All globals, imported ones first. */
  readonly globalCount: number;
  /** Exported globals by name. */
  readonly exportedGlobals: ReadonlyMap<string, number>;
  readonly tableCount: number;
  /** Functions that an indirect call may reach. */
  readonly tableFunctions: readonly number[];
  readonly bodies: readonly FunctionBody[];
}

export function readModule(sections: readonly Section[]): Module {
  const section = (id: number): Reader =>
    new Reader(sections.find((one) => one.id === id)?.content ?? Uint8Array.of(0));

  const imports = readImports(section(sectionId.import));

  const functions = section(sectionId.function);
  const code = section(sectionId.code);
  return {
    sections,
    types: readTypes(section(sectionId.type)),
    importedFunctions: imports.functions.length,
    importNames: imports.functions.map(({ name }) => name),
    functionTypes: [...imports.functions.map(({ type }) => type), ...functions.vector(() => functions.unsigned())],
    globalCount: imports.globals + section(sectionId.global).unsigned(),
    exportedGlobals: readExportedGlobals(section(sectionId.export)),
    tableCount: section(sectionId.table).unsigned(),
    tableFunctions: readTable(section(sectionId.element)),
    bodies: code.vector(() => readBody(new Reader(code.take(code.unsigned())))),
  };
}

interface Imports {
  readonly functions: readonly { readonly name: string; readonly type: number }[];
  readonly globals: number;
}

function readImports(reader: Reader): Imports {
  const functions: { name: string; type: number }[] = [];
  let globals = 0;
  reader.vector(() => {
    const name = `${readName(reader)}.${readName(reader)}`;
    const kind = reader.byte();
    if (kind === importKind.function) {
      functions.push({ name, type: reader.unsigned() });
    } else if (kind === importKind.global) {
      globals++;
      reader.take(2); // its type, and whether it changes
    } else {
      throw new Error('only functions and globals may be imported');
    }
  });
  return { functions, globals };
}

function readExportedGlobals(reader: Reader): Map<string, number> {
  const globals = new Map<string, number>();
  reader.vector(() => {
    const name = readName(reader);
    const kind = reader.byte();
    const index = reader.unsigned();
    if (kind === importKind.global) globals.set(name, index);
  });
  return globals;
}

function readName(reader: Reader): string {
  return new TextDecoder().decode(reader.take(reader.unsigned()));
}

const importKind = { function: 0, global: 3 } as const;

function readTypes(reader: Reader): FunctionType[] {
  const types = reader.vector(() => {
    if (reader.byte() !== functionType) throw new Error('only plain function types are known to the fuel rewriter');
    return { parameters: reader.vector(() => reader.byte()), results: reader.vector(() => reader.byte()) };
  });
  // An indirect call reaches every function of an equal type; the call graph below goes by the type's index.
  if (new Set(types.map((type) => JSON.stringify(type))).size < types.length) {
    throw new Error('the file lists the same type twice');
  }
  return types;
}

function readTable(reader: Reader): number[] {
  return reader
    .vector(() => {
      if (reader.unsigned() !== 0) throw new Error('only plain element segments are known to the fuel rewriter');
      while (readInstruction(reader).opcode !== opcode.end);
      return reader.vector(() => reader.unsigned());
    })
    .flat();
}

function readBody(reader: Reader): FunctionBody {
  reader.vector(() => {
    reader.skipNumber(); // how many
    reader.byte(); // of which type
  });
  const locals = reader.bytes.subarray(0, reader.at);
  const code = reader.take(reader.bytes.length - reader.at);
  const instructions: Instruction[] = [];
  for (const inside = new Reader(code); !inside.done;) instructions.push(readInstruction(inside));
  return { locals, code, instructions };
}

/** Who calls whom; `callingImports` may call whatever is in the table. After the functions comes one node for each type, standing for every function of that type in the table. */
export function callGraph(module: Module, callingImports: readonly string[] = []): FunctionCalls[] {
  const functionCount = module.functionTypes.length;
  const direct = module.functionTypes.map((_, index): FunctionCalls => {
    const body = module.bodies[index - module.importedFunctions];
    if (body === undefined) {
      const isCalling = callingImports.includes(module.importNames[index] ?? '');
      return { size: 0, calls: isCalling ? module.types.map((_type, type) => functionCount + type) : [] };
    }
    const calls = body.instructions.flatMap(({ opcode: code, operand = 0 }) => {
      if (code === opcode.call || code === opcode.returnCall) return [operand];
      return code === opcode.callIndirect || code === opcode.returnCallIndirect ? [functionCount + operand] : [];
    });
    return { size: body.code.length, calls };
  });
  const tables = Array.from({ length: module.types.length }, (_, type): FunctionCalls => ({
    size: 0,
    calls: module.tableFunctions.filter((index) => module.functionTypes[index] === type),
  }));
  return [...direct, ...tables];
}
