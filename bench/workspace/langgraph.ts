// Measures LangGraph for comparison. It is installed on demand into a separate folder, because its native SQLite module has
// to be downloaded or built; if that fails, the comparison is skipped with the reason.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { progress } from '../support/measurement.ts';

const packages = [
  '@langchain/langgraph@1.4.17',
  '@langchain/langgraph-checkpoint-sqlite@1.0.4',
  '@langchain/core@1.2.13',
  'zod@4.2.0',
];
/** Its packages ask for versions of this one that were not published; npm searches for them without an end. */
const overrides = { '@langchain/protocol': '0.0.19' };
const installMilliseconds = 300_000;

export interface LangGraphFigures {
  readonly stepsPerSecond: number;
  /** With a hundred threads at once. */
  readonly stepsPerSecondMany: number;
  readonly bytesPerStep: number;
  readonly synchronous: number;
}

/** The figures, or why there are none. */
export function measureLangGraph(folder: string, steps: number, threads: number): LangGraphFigures | string {
  // Native modules are built for the Node that runs npm.
  const node = process.env['npm_node_execpath'] ?? process.execPath;
  try {
    const installed = install();
    const output = execFileSync(
      node,
      [
        join(import.meta.dirname, 'langgraph-child.mjs'),
        installed,
        join(folder, 'langgraph.db'),
        String(steps),
        String(threads),
      ],
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
    );
    return JSON.parse(output.trim().split('\n').at(-1) ?? '') as LangGraphFigures;
  } catch (error) {
    return `could not be installed or run: ${String(error).split('\n')[0]}`;
  }
}

function install(): string {
  const folder =
    process.env['STATEK_BENCH_LANGGRAPH'] ?? join(import.meta.dirname, '../../node_modules/.cache/langgraph');
  if (existsSync(join(folder, 'node_modules/@langchain/langgraph-checkpoint-sqlite'))) return folder;
  progress('installing LangGraph (its native module may be built for minutes)');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, overrides }));
  execFileSync('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--legacy-peer-deps', ...packages], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: installMilliseconds,
  });
  return folder;
}
