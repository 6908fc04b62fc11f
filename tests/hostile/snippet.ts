// What a hostile snippet is: a piece of guest code that tries to get at something, or never to end, and how it must end.

export interface Hostile {
  readonly code: string;
  /**
   * `any` (unless told): done or failed. `limit`: stopped by a limit, which nothing in it may have caught. `stopped`: by a
   * limit, or by an error about memory or depth that it did not catch. `suspended`: it waits.
   */
  readonly ends?: 'any' | 'done' | 'failed' | 'limit' | 'stopped' | 'suspended';
  /** The value it must have, where reading it proves something. */
  readonly value?: unknown;
  /** It spoils its own program, as any program may: later steps may fail, but are answered, and going back repairs it. */
  readonly spoilsItself?: true;
}

/** Snippets by name. Plain text is a snippet that may be done or fail. */
export type Snippets = Readonly<Record<string, string | Hostile>>;

export function limited(codes: Readonly<Record<string, string>>): Snippets {
  return all(codes, 'limit');
}

export function stopped(codes: Readonly<Record<string, string>>): Snippets {
  return all(codes, 'stopped');
}

function all(codes: Readonly<Record<string, string>>, ends: Hostile['ends'] & string): Snippets {
  return Object.fromEntries(Object.entries(codes).map(([name, code]) => [name, { code, ends }]));
}
