// Measures LangGraph beside us. It is installed on demand into a folder of its own, because its SQLite module is native and
// has to be fetched or built; where that is not possible, the comparison is skipped and says why.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { progress } from '../support/measurement.ts';

const packages = [
  '@langchain/langgraph@1.4.18',
  '@langchain/langgraph-checkpoint-sqlite@1.0.4',
  '@langchain/core@1.2.13',
];

export interface LangGraphFigures {
  readonly stepsPerSecond: number;
  readonly bytesPerStep: number;
  readonly synchronous: number;
}

/** The figures, or why there are none. */
export function measureLangGraph(folder: string, steps: number): LangGraphFigures | string {
  // The Node that runs npm is the one a native module is built for.
  const node = process.env['npm_node_execpath'] ?? process.execPath;
  try {
    const installed = install();
    const output = execFileSync(
      node,
      [join(import.meta.dirname, 'langgraph-child.mjs'), installed, join(folder, 'langgraph.db'), String(steps)],
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
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  execFileSync('npm', ['install', '--no-save', '--no-audit', '--no-fund', ...packages], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return folder;
}
