// What the fuel rewriter is told, where it puts things, and what it says it did.

export interface FuelOptions {
  /** Which functions count on entry: those that break every circle of calls, or every one. */
  readonly entries: 'circles' | 'all';
  /** A bulk copy of this many bytes costs one unit; a power of two. */
  readonly bytesPerUnit: number;
  /** What a newly grown page of 64 KiB costs. */
  readonly unitsPerPage: number;
  /**
   * A function that counts on entry takes at least this many bytes of the C stack. The engine's own, catchable stack check sees
   * only the C stack; native recursion that hardly uses it (a JSON parser) would otherwise exhaust the host's stack first.
   */
  readonly leastFrame: number;
  /** Imported functions that may call any function of the table, as `module.name`; recursion through them is counted too. */
  readonly callingImports?: readonly string[];
}

/** Indexes of what is added to the file. */
export interface Layout {
  readonly fuelGlobal: number;
  readonly memoryLimitGlobal: number;
  readonly copyFunction: number;
  readonly fillFunction: number;
  readonly growFunction: number;
  /** Called when the counter has sunk below zero. */
  readonly spentFunction: number;
  /** The table whose one entry is the function of the host that is asked then. */
  readonly hookTable: number;
  /** The type of that function: it takes and returns nothing. */
  readonly hookType: number;
  /** The global the compiler keeps the C stack's pointer in. */
  readonly stackPointer: number;
}

export interface FuelReport {
  functions: number;
  loops: number;
  entries: number;
  bulkOperations: number;
}
