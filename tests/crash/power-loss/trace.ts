// Reads what strace wrote: the system calls on the files of interest, in the order in which they began and ended.

/** A system call that succeeded. `began` and `ended` are lines of the trace; between two calls only they tell the order. */
export type TracedCall = { readonly path: string; readonly began: number; readonly ended: number } & (
  | { readonly kind: 'create' }
  | { readonly kind: 'write'; readonly data: Buffer; readonly offset: number }
  /** To a file opened for appending. */
  | { readonly kind: 'append'; readonly data: Buffer }
  | { readonly kind: 'truncate'; readonly size: number }
  | { readonly kind: 'sync' }
  | { readonly kind: 'unlink' }
);

export interface Trace {
  readonly calls: readonly TracedCall[];
  readonly lines: number;
}

/** The system calls to ask strace for. Those that this reader does not understand make it fail, not overlook them. */
export const tracedCalls = [
  ...['openat', 'open', 'creat', 'write', 'pwrite64', 'writev', 'pwritev', 'pwritev2', 'ftruncate', 'truncate'],
  ...['fallocate', 'rename', 'renameat', 'renameat2', 'unlink', 'unlinkat', 'link', 'linkat', 'fsync', 'fdatasync'],
  ...['sync_file_range', 'mmap', 'copy_file_range', 'sendfile', 'io_uring_enter'],
];

export function parseTrace(text: string): Trace {
  const lines = text.split('\n');
  const unfinished = new Map<string, { readonly text: string; readonly began: number }>();
  const calls: TracedCall[] = [];
  for (const [index, line] of lines.entries()) {
    const [, thread = '', rest = ''] = /^(\d+) +(.*)$/.exec(line) ?? [];
    if (rest.endsWith(' <unfinished ...>')) {
      unfinished.set(thread, { text: rest.slice(0, -' <unfinished ...>'.length), began: index });
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest);
    const start = resumed === null ? undefined : unfinished.get(thread);
    if (resumed !== null && start === undefined) continue;
    const call = parseCall((start?.text ?? '') + (resumed?.[1] ?? rest), start?.began ?? index, index);
    if (call !== undefined) calls.push(call);
  }
  return { calls: calls.toSorted((a, b) => a.ended - b.ended), lines: lines.length };
}

function parseCall(text: string, began: number, ended: number): TracedCall | undefined {
  const [, name, given = '', result] = /^(\w+)\((.*)\) += (-?\d+)/.exec(text) ?? [];
  if (name === undefined || result === undefined || result.startsWith('-')) return undefined;
  const at = { began, ended };
  const [, file = ''] = /^\d+<([^>]*)>/.exec(given) ?? [];
  const path = unescape(file).toString();
  const strings = [...given.matchAll(/"([^"]*)"/g)].map(([, quoted = '']) => unescape(quoted));
  switch (name) {
    case 'openat': {
      const opened = strings[0]?.toString() ?? '';
      return given.includes('O_CREAT') ? { kind: 'create', path: opened, ...at } : undefined;
    }
    case 'pwrite64': {
      const offset = Number(given.slice(given.lastIndexOf(',') + 1));
      return { kind: 'write', path, data: whole(strings[0], result, text), offset, ...at };
    }
    case 'write':
      return { kind: 'append', path, data: whole(strings[0], result, text), ...at };
    case 'ftruncate':
      return { kind: 'truncate', path, size: Number(given.slice(given.lastIndexOf(',') + 1)), ...at };
    case 'fsync':
    case 'fdatasync':
      return { kind: 'sync', path, ...at };
    case 'unlink':
      return { kind: 'unlink', path: strings[0]?.toString() ?? '', ...at };
    case 'mmap':
      // Reading through a mapping changes nothing.
      if (!given.includes('PROT_WRITE') || given.includes('MAP_PRIVATE')) return undefined;
  }
  throw new Error(`The trace has a call that is not understood: ${text.slice(0, 300)}`);
}

function whole(data: Buffer | undefined, length: string, text: string): Buffer {
  if (data === undefined || data.length < Number(length)) throw new Error(`Data is cut short: ${text.slice(0, 300)}`);
  return data.subarray(0, Number(length));
}

// strace was asked to write every byte as \x and two digits.
function unescape(text: string): Buffer {
  return Buffer.from(text.replaceAll('\\x', ''), 'hex');
}
