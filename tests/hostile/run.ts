// `npm run test:hostile`: the long run. Random messages to the bridge and random cells, from a seed; its last line sums up,
// and its exit code says whether all was well.
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import * as fc from 'fast-check';
import { Progress } from '../crash/progress.ts';
import { plantCanaries } from './canaries.ts';
import { CellFuzz, cell } from './fuzz/cells.ts';
import { message, problemsOfMessage } from './fuzz/messages.ts';

const usage = `npm run test:hostile -- [--cases 100000] [--seed N] [--json]
  Sends random messages to the host bridge and, as every tenth case, runs a random cell in a workspace.`;

/** A cell takes far longer than a message. */
const messagesPerCell = 9;

interface RunArguments {
  readonly cases: number;
  readonly seed: number;
  readonly json: boolean;
}

interface Failure {
  readonly counterexample: string;
  readonly problem: string;
}

async function main({ cases, seed, json }: RunArguments): Promise<void> {
  const started = performance.now();
  const strays: string[] = [];
  process.on('unhandledRejection', (reason) => strays.push(`An unhandled rejection: ${String(reason)}`));
  process.on('uncaughtException', (error) => strays.push(`An uncaught exception: ${String(error)}`));
  plantCanaries();

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
  const seconds = Math.round((performance.now() - started) / 1000);
  const megabytes = Math.round(process.memoryUsage().rss / 2 ** 20);
  for (const { counterexample, problem } of failures) console.error(`${counterexample}\n  ${problem}`);
  for (const stray of strays.slice(0, 20)) console.error(stray);
  const figures = {
    messages: messages.numRuns,
    cells: cells.numRuns,
    failures: failures.length,
    strays: strays.length,
  };
  console.log(
    json
      ? JSON.stringify({ seed, ...figures, seconds, megabytes })
      : `${figures.messages} messages and ${figures.cells} cells: ${figures.failures} failures, ${figures.strays} stray errors (seed ${seed}, ${seconds} s, ${megabytes} MiB)`,
  );
  if (failures.length > 0 || strays.length > 0) process.exitCode = 1;
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
        json: { type: 'boolean', default: false },
      },
    });
    return {
      cases: wholeNumber('--cases', values.cases),
      seed: values.seed === undefined ? randomInt(2 ** 31) : wholeNumber('--seed', values.seed),
      json: values.json,
    };
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    process.exit(2);
  }
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,10}$/.test(text)) throw new Error(`${name} is a whole number, not ${text}.`);
  return Number(text);
}

await main(argumentsOrUsage());
