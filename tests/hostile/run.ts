// `npm run test:hostile`: the long run. First code that never ends, in both languages: how long it keeps the process from its other
// work against its limit, and how much memory it takes. Then random messages to the bridge and random cells, from a seed. Its last
// line sums up, and its exit code says whether all was well; how long things took does not decide about that.
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import * as fc from 'fast-check';
import { Progress } from '../crash/progress.ts';
import { plantCanaries } from './canaries.ts';
import { CellFuzz, cell } from './fuzz/cells.ts';
import { message, problemsOfMessage } from './fuzz/messages.ts';
import { lineOf, measureBombs, worstOf, type Measured } from './time/measure.ts';
import { pythonBombs, pythonLoads } from './time/python-bombs.ts';
import { typescriptBombs, typescriptLoads } from './time/typescript-bombs.ts';

const usage = `npm run test:hostile -- [--cases 100000] [--seed N] [--limit 300] [--only bombs|fuzz] [--json]
  bombs: runs code that never ends under a limit of CPU time in milliseconds, and tells what it took of the process.
  fuzz: sends random messages to the host bridge and, as every tenth case, runs a random cell in a workspace.`;

/** A cell takes far longer than a message. */
const messagesPerCell = 9;

interface RunArguments {
  readonly cases: number;
  readonly seed: number;
  /** Of CPU time, for bombs. */
  readonly limit: number;
  readonly only: 'bombs' | 'fuzz' | undefined;
  readonly json: boolean;
}

interface Failure {
  readonly counterexample: string;
  readonly problem: string;
}

async function main({ cases, seed, limit, only, json }: RunArguments): Promise<void> {
  const started = performance.now();
  const strays: string[] = [];
  process.on('unhandledRejection', (reason) => strays.push(`An unhandled rejection: ${String(reason)}`));
  process.on('uncaughtException', (error) => strays.push(`An uncaught exception: ${String(error)}`));
  plantCanaries();

  const bombs = only === 'fuzz' ? undefined : await runBombs(limit);
  const fuzz = only === 'bombs' ? undefined : await runFuzz(cases, seed);

  const problems = [...(bombs?.problems ?? []), ...(fuzz?.problems ?? [])];
  const seconds = Math.round((performance.now() - started) / 1000);
  const megabytes = Math.round(process.memoryUsage().rss / 2 ** 20);
  for (const problem of problems) console.error(problem);
  for (const stray of strays.slice(0, 20)) console.error(stray);
  const figures = {
    ...(bombs === undefined
      ? {}
      : { limit, bombs: bombs.bombs.length, worst: worstOf(bombs.bombs), loads: worstOf(bombs.loads) }),
    ...(fuzz === undefined ? {} : { messages: fuzz.messages, cells: fuzz.cells }),
    failures: problems.length,
    strays: strays.length,
  };
  for (const [language, worst] of Object.entries(figures.loads ?? {}))
    console.log(
      `${language}, code that ends and leaves much: at worst ${worst.blockedMilliseconds} ms blocked, ${worst.megabytes} MiB more`,
    );
  for (const [language, worst] of Object.entries(figures.worst ?? {}))
    console.log(
      `${language}, code that never ends: at worst ${worst.wallRatio.toFixed(2)} × the limit of ${limit} ms on the clock (${worst.bomb}), ${worst.ownRatio.toFixed(2)} × without waiting for a processor, ${worst.cpuRatio.toFixed(2)} × CPU time, ${worst.blockedMilliseconds} ms blocked, ${worst.megabytes} MiB more`,
    );
  console.log(
    json
      ? JSON.stringify({
          seed,
          ...figures,
          all: [...(bombs?.bombs ?? []), ...(bombs?.loads ?? [])],
          seconds,
          megabytes,
        })
      : `${fuzz?.messages ?? 0} messages, ${fuzz?.cells ?? 0} cells and ${bombs?.bombs.length ?? 0} bombs: ${problems.length} failures, ${strays.length} stray errors (seed ${seed}, ${seconds} s, ${megabytes} MiB)`,
  );
  if (problems.length > 0 || strays.length > 0) process.exitCode = 1;
}

interface Bombed {
  /** Code that never ends. */
  readonly bombs: readonly Measured[];
  /** Code that ends and leaves much to be done after it, such as to store it. */
  readonly loads: readonly Measured[];
  readonly problems: readonly string[];
}

async function runBombs(limit: number): Promise<Bombed> {
  const [bombs, loads, problems]: [Measured[], Measured[], string[]] = [[], [], []];
  const limits = { softCpuMilliseconds: limit };
  const report = (measured: Measured): void => {
    console.log(lineOf(measured));
    if (measured.problem !== undefined) problems.push(lineOf(measured));
  };
  for (const [language, endless, heavy] of [
    ['typescript', typescriptBombs, typescriptLoads],
    ['python', pythonBombs, pythonLoads],
  ] as const) {
    bombs.push(...(await measureBombs(language, endless, limits, report)));
    loads.push(...(await measureBombs(language, heavy, { ...limits, softCpuMilliseconds: 10 * limit }, report)));
  }
  for (const one of bombs) if (one.ended !== 'LIMIT') problems.push(`It was not stopped: ${lineOf(one)}`);
  return { bombs, loads, problems };
}

interface Fuzzed {
  readonly messages: number;
  readonly cells: number;
  readonly problems: readonly string[];
}

async function runFuzz(cases: number, seed: number): Promise<Fuzzed> {
  const progress = new Progress(cases);
  let done = 0;
  const count = (what: string): void => {
    done++;
    if (done % 50 === 0) progress.show(done, what);
  };
  const cellCases = Math.ceil(cases / (messagesPerCell + 1));
  const messages = fc.check(
    fc.property(message, (sent) => {
      count('messages');
      refuse(problemsOfMessage(sent));
    }),
    { numRuns: cases - cellCases, seed },
  );
  const fuzz = new CellFuzz();
  const cells = await fc.check(
    fc.asyncProperty(cell, async (source) => {
      count('cells');
      refuse(await fuzz.problemsOf(source));
    }),
    { numRuns: cellCases, seed },
  );
  await fuzz.close();
  progress.end();

  const failures = [...failuresOf(messages), ...failuresOf(cells)];
  return {
    messages: messages.numRuns,
    cells: cells.numRuns,
    problems: failures.map(({ counterexample, problem }) => `${counterexample}\n  ${problem}`),
  };
}

function refuse(problems: readonly string[]): void {
  if (problems.length > 0) throw new Error(problems.join('\n  '));
}

function failuresOf<Case>(details: fc.RunDetails<Case>): Failure[] {
  if (!details.failed) return [];
  return [{ counterexample: fc.stringify(details.counterexample), problem: String(details.errorInstance) }];
}

function argumentsOrUsage(): RunArguments {
  try {
    const { values } = parseArgs({
      options: {
        cases: { type: 'string', default: '100000' },
        seed: { type: 'string' },
        limit: { type: 'string', default: '300' },
        only: { type: 'string' },
        json: { type: 'boolean', default: false },
      },
    });
    return {
      cases: wholeNumber('--cases', values.cases),
      seed: values.seed === undefined ? randomInt(2 ** 31) : wholeNumber('--seed', values.seed),
      limit: wholeNumber('--limit', values.limit),
      only: part(values.only),
      json: values.json,
    };
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    process.exit(2);
  }
}

function part(text: string | undefined): RunArguments['only'] {
  if (text === undefined || text === 'bombs' || text === 'fuzz') return text;
  throw new Error(`--only is bombs or fuzz, not ${text}.`);
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,10}$/.test(text)) throw new Error(`${name} is a whole number, not ${text}.`);
  return Number(text);
}

await main(argumentsOrUsage());
