// Starts several processes, lets them begin together, and collects what they print.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { keepCompiledModules } from './compiled.ts';

keepCompiledModules();

/** Runs the same program once for each task, at the same time; the results are in the order of the tasks. */
export async function runTogether<Result>(program: string, tasks: readonly object[]): Promise<Result[]> {
  const children = tasks.map((task) => startChild<Result>(program, task));
  try {
    await Promise.all(children.map(({ ready }) => ready));
    for (const child of children) child.begin();
    return await Promise.all(children.map(({ result }) => result));
  } finally {
    for (const child of children) child.kill();
  }
}

export interface Child<Result> {
  /** Rejects if the process ends before it is ready. */
  readonly ready: Promise<void>;
  readonly result: Promise<Result>;
  begin(): void;
  kill(): void;
}

export function startChild<Result>(program: string, task: object): Child<Result> {
  const file = fileURLToPath(new URL(`../children/${program}.ts`, import.meta.url));
  const child = spawn(process.execPath, [file, JSON.stringify(task)], { stdio: ['pipe', 'pipe', 'pipe'] });
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
  const lines: string[] = [];
  const ready = Promise.withResolvers<void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    ready.resolve();
  });
  const result = new Promise<Result>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      const failure = new Error(`${program} ended with ${code ?? signal}: ${complaints}`);
      ready.reject(failure);
      if (code === 0) resolve(JSON.parse(lines.at(-1) ?? 'null') as Result);
      else reject(failure);
    });
  });
  // Both are awaited by the caller, but maybe only one of them is reached.
  ready.promise.catch(() => undefined);
  result.catch(() => undefined);
  return {
    ready: ready.promise,
    result,
    begin: () => void child.stdin.end('begin\n'),
    kill: () => void child.kill('SIGKILL'),
  };
}
