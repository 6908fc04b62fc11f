// The numbers WASM writes for its types.

export const i32 = 0x7f;
export const i64 = 0x7e;
export const f64 = 0x7c;
export const functionReference = 0x70;
export const functionType = 0x60;
export const noResult = 0x40;
export const mutable = 1;
/** A table or memory that says how large it may become. */
export const hasMost = 1;
export const tableExport = 1;
