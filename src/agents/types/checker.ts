// Checks a step against what its agent can use and what earlier steps have declared, before it runs. One compiler serves
// the whole process.
import type { Compiler as CompilerProcess } from './compiler.ts';
import { cellFiles, type Cell } from './cells.ts';

export interface TypeIssue {
  /** TypeScript's number of it; 0 if the code could not be checked within its limits. */
  readonly code: number;
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

const limits = { cpuMilliseconds: 10_000, milliseconds: 30_000, bytes: 2 ** 30 };
/** A compiler keeps what it has seen. After so many projects another one is started. */
const maxProjects = 32;
const maxIssues = 5;
/** A compiler that nobody asks anything ends by itself, after so many milliseconds. */
const idle = 30_000;

/** Names that are assigned in one step and declared in another, and modules, which the application registers. */
const overlooked = new Set([2632, 2307, 2792, 7016, 2306]);
const unknownName = new Set([2304, 2552, 2503, 2580, 2581, 2582, 2583, 2584, 2591, 2592, 2593, 18004]);

let compiler: CompilerProcess | undefined;
let last: Promise<unknown> = Promise.resolve();
let idleTimer: NodeJS.Timeout | undefined;

export interface CheckedCode {
  /** Tells workspaces apart. */
  readonly project: string;
  /** Declarations of what code can use. */
  readonly context: string;
  /** Text in which names occur that may be variables. */
  readonly mentioned: string;
  /** Steps in their order; the last one is to be checked. */
  readonly cells: readonly Cell[];
}

/** What is wrong with the last of the cells. */
export function checkTypes(code: CheckedCode): Promise<readonly TypeIssue[]> {
  const next = last.then(() => check(code));
  last = next.catch(() => undefined);
  return next;
}

async function check({ project, context, mentioned, cells }: CheckedCode): Promise<readonly TypeIssue[]> {
  const files = cellFiles(cells);
  const cell = cells.at(-1);
  if (files === undefined || cell === undefined) return [];
  // The package is loaded only where somebody checks types.
  const { Compiler, CompilerStopped } = await import('./compiler.ts');
  if (compiler === undefined || compiler.isStopped || compiler.projectCount >= maxProjects) {
    await compiler?.close();
    compiler = new Compiler(limits);
  }
  const current = compiler;
  clearTimeout(idleTimer);
  try {
    const all = new Map([...files, ['context.d.ts', context]]);
    const found = await current.check(project.replaceAll(/[^\w-]/g, '_'), all, `cell-${cell.number}.ts`);
    const earlier = [mentioned, ...cells.slice(0, -1).map(({ source }) => source)];
    return found
      .filter(({ code, start }) => start < cell.source.length && !overlooked.has(code))
      .filter(({ code, message }) => !(unknownName.has(code) && isKnownSomewhere(message, earlier, cell)))
      .slice(0, maxIssues)
      .map(({ code, start, message }) => ({ code, message, ...placeOf(cell.source, start) }));
  } catch (error) {
    if (!(error instanceof CompilerStopped)) throw error;
    const message = `The types of this code could not be checked: ${error.message}. Write simpler types.`;
    return [{ code: 0, message, line: 1, column: 1 }];
  } finally {
    if (current.isStopped) await current.close();
    idleTimer = setTimeout(() => void compiler?.close(), idle);
    idleTimer.unref();
  }
}

/** A name that earlier code mentions may be a variable that was made in a way nobody can see, such as `globalThis.x = 1`. */
function isKnownSomewhere(message: string, earlier: readonly string[], cell: Cell): boolean {
  const [, name = ''] = /'([^']+)'/.exec(message) ?? [];
  if (earlier.some((text) => text.includes(name))) return true;
  return cell.source.includes(`globalThis.${name}`);
}

function placeOf(source: string, start: number): { line: number; column: number } {
  const before = source.slice(0, start).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
