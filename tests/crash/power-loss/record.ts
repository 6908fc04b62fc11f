// Runs a load under strace and keeps every write and sync it made, and every acknowledgement, in one order.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childProgram } from '../child-process.ts';
import { parseJournal, type Journal } from '../journal.ts';
import type { ChildTask } from '../load-child.ts';
import { parseTrace, tracedCalls, type Trace } from './trace.ts';

export interface Recording {
  readonly trace: Trace;
  /** Where the store was. */
  readonly folder: string;
  readonly file: string;
  /** Where the load wrote down its calls and answers. */
  readonly journalFile: string;
}

// The filter in the kernel lets all other system calls run at full speed.
const follow = ['-f', '--seccomp-bpf'];

/** Whether programs may be traced here; if not, says so in one loud line. */
export function canTrace(): boolean {
  const { status } = spawnSync('strace', [...follow, '-e', 'trace=fsync', '-o', '/dev/null', 'true']);
  if (status === 0) return true;
  console.error('SKIPPED: simulated power loss. It needs strace and the right to trace processes.');
  return false;
}

export async function record(options: {
  readonly seed: number;
  readonly calls: number;
  readonly durability: 'full' | 'relaxed';
}): Promise<Recording> {
  // The kernel reports paths without symbolic links.
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'statek-power-loss-')));
  const folder = join(base, 'store');
  mkdirSync(folder);
  const file = join(folder, 'statek.db');
  const journalFile = join(base, 'journal');
  const output = join(base, 'trace');
  const task: ChildTask = {
    place: { engine: 'sqlite', file, durability: options.durability },
    name: 'load',
    seed: options.seed,
    journal: journalFile,
    calls: options.calls,
    pruneUpTo: undefined,
  };
  const paths = [folder, file, `${file}-wal`, `${file}-journal`, journalFile].flatMap((path) => ['-P', path]);
  const strace = [
    ...follow,
    '-y',
    '-xx',
    '-s',
    '100000000',
    '-e',
    `trace=${tracedCalls.join(',')}`,
    ...paths,
    '-o',
    output,
  ];
  const child = spawn('strace', [...strace, process.execPath, childProgram], { stdio: ['pipe', 'ignore', 'pipe'] });
  try {
    let complaints = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
    child.stdin.end(JSON.stringify(task));
    await once(child, 'close');
    if (child.exitCode !== 0) throw new Error(`The traced load ended with ${child.exitCode}: ${complaints}`);
    return { trace: parseTrace(readFileSync(output, 'latin1')), folder, file, journalFile };
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}

/** What the load had asked and been told when the trace came to a line. */
export function journalAt({ trace, journalFile }: Recording, cut: number): Journal {
  const written = trace.calls.filter(
    ({ kind, path, began }) => kind === 'append' && path === journalFile && began < cut,
  );
  return parseJournal(
    Buffer.concat(written.map((call) => (call.kind === 'append' ? call.data : Buffer.alloc(0)))).toString(),
  );
}
