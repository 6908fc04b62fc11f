// Names no workspace variable can have. Everything else may be declared and declared again, built-in names included.

const fixed: ReadonlySet<string> = new Set(['undefined', 'NaN', 'Infinity', 'globalThis', '__proto__']);

/** Why a name cannot be declared at the top level of a cell, or undefined if it can. */
export function refusedName(name: string): string | undefined {
  if (fixed.has(name)) return `'${name}' belongs to the language and cannot be declared. Choose another name.`;
  if (name.startsWith('__statek')) return `Names that begin with '__statek' are reserved. Choose another name.`;
  return undefined;
}

/** The global object inherits these. They are declared with `var` first, for an assignment alone would reach the inherited one. */
export const inheritedNames: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));
