// The part of `WebAssembly` that the engines use. TypeScript knows it only together with everything else a browser has.

export interface WasmModule {
  readonly [Symbol.toStringTag]: string;
}

export interface WasmMemory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

export interface WasmGlobal {
  value: number;
}

export type WasmImports = Record<string, Record<string, (...values: never[]) => number | bigint | null | void>>;

interface WasmNamespace {
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => WasmModule;
  readonly Instance: new (module: WasmModule, imports: WasmImports) => { readonly exports: object };
  readonly RuntimeError: ErrorConstructor;
  compile(bytes: Uint8Array<ArrayBuffer>): Promise<WasmModule>;
  validate(bytes: Uint8Array<ArrayBuffer>): boolean;
}

export const wasm: WasmNamespace = (globalThis as unknown as { WebAssembly: WasmNamespace }).WebAssembly;
