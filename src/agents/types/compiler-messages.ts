// What the thread of the compiler is asked, and what it answers.

export interface Diagnostic {
  readonly code: number;
  /** Where it begins in the file, in UTF-16 units. */
  readonly start: number;
  readonly message: string;
}

export interface CompilerQuestion {
  readonly project: string;
  readonly files: ReadonlyMap<string, string>;
  readonly file: string;
}

export type CompilerAnswer = { readonly process: number | undefined } | { readonly found: readonly Diagnostic[] };
