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
  /** The type of each function, imported ones first. */
  readonly functionTypes: readonly number[];
  readonly globalCount: number;
  /** Functions that an indirect call may reach. */
  readonly tableFunctions: readonly number[];
  readonly bodies: readonly FunctionBody[];
}

export function readModule(sections: readonly Section[]): Module {
  const section = (id: number): Reader =>
    new Reader(sections.find((one) => one.id === id)?.content ?? Uint8Array.of(0));

  const imports = section(sectionId.import);
  const importedTypes = imports.vector(() => {
    imports.take(imports.unsigned());
    imports.take(imports.unsigned());
    if (imports.byte() !== 0) throw new Error('only functions may be imported');
    return imports.unsigned();
  });

  const functions = section(sectionId.function);
  const code = section(sectionId.code);
  return {
    sections,
    types: readTypes(section(sectionId.type)),
    importedFunctions: importedTypes.length,
    functionTypes: [...importedTypes, ...functions.vector(() => functions.unsigned())],
    globalCount: section(sectionId.global).unsigned(),
    tableFunctions: readTable(section(sectionId.element)),
    bodies: code.vector(() => readBody(new Reader(code.take(code.unsigned())))),
  };
}

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

/** Who calls whom. After the functions comes one node for each type, standing for every function of that type in the table. */
export function callGraph(module: Module): FunctionCalls[] {
  const functionCount = module.functionTypes.length;
  const direct = module.functionTypes.map((_, index): FunctionCalls => {
    const body = module.bodies[index - module.importedFunctions];
    if (body === undefined) return { size: 0, calls: [] };
    const calls = body.instructions.flatMap(({ opcode: code, operand = 0 }) => {
      if (code === opcode.call) return [operand];
      return code === opcode.callIndirect ? [functionCount + operand] : [];
    });
    return { size: body.code.length, calls };
  });
  const tables = Array.from({ length: module.types.length }, (_, type): FunctionCalls => ({
    size: 0,
    calls: module.tableFunctions.filter((index) => module.functionTypes[index] === type),
  }));
  return [...direct, ...tables];
}
