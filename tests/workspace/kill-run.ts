// `npm run test:kill`: programs whose processes are killed with -9 at random moments, until so many were killed. The last
// line of its output is a summary in JSON, and its exit code says whether all was well.
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { Random } from '../crash/random.ts';
import { killUntilDone } from './kill-program.ts';

const usage = `npm run test:kill -- [--kills 200] [--seed N]
  Runs a program to its end again and again while its processes are killed, and compares each end with what it must be.`;

async function main({ kills: wanted, seed }: { kills: number; seed: number }): Promise<void> {
  const started = performance.now();
  const random = new Random(seed);
  const problems: string[] = [];
  let kills = 0;
  let programs = 0;
  while (kills < wanted && problems.length < 10) {
    try {
      kills += await killUntilDone(() => random.fraction());
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error));
      console.error(`program ${programs + 1}: ${problems.at(-1) ?? ''}`);
    }
    programs++;
    console.error(`${programs} programs, ${Math.min(kills, wanted)} of ${wanted} kills, ${problems.length} wrong`);
  }
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(JSON.stringify({ seed, kills, programs, wrong: problems.length, seconds }));
  if (problems.length > 0) process.exitCode = 1;
}

function argumentsOrUsage(): { kills: number; seed: number } {
  try {
    const { values } = parseArgs({ options: { kills: { type: 'string', default: '200' }, seed: { type: 'string' } } });
    const seed = values.seed ?? String(randomInt(2 ** 31));
    for (const [name, text] of Object.entries({ kills: values.kills, seed }))
      if (!/^\d{1,10}$/.test(text)) throw new Error(`--${name} is a whole number, not ${text}.`);
    return { kills: Number(values.kills), seed: Number(seed) };
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    process.exit(2);
  }
}

await main(argumentsOrUsage());
