// `npm run test:crash`: the long run. Its last line sums up, and its exit code says whether all was well.
import { parseArguments, usage, type CrashArguments } from './arguments.ts';
import { killRounds } from './kill-rounds.ts';
import { countKinds } from './long-run.ts';
import { powerRounds } from './power-loss/power-rounds.ts';

async function main({ rounds, seed, store, powerLoss, json }: CrashArguments): Promise<void> {
  const started = performance.now();
  const { problems, words, figures } = await (powerLoss ? powerRounds(rounds, seed) : killRounds(rounds, seed, store));
  const seconds = Math.round((performance.now() - started) / 1000);
  for (const problem of problems.slice(0, 20)) console.error(JSON.stringify(problem));
  if (problems.length > 0) {
    console.error('The same seed draws the same load; the moment of a kill cannot be drawn again exactly.');
    process.exitCode = 1;
  }
  const { lost, torn, twice, wrong } = countKinds(problems);
  console.log(
    json
      ? JSON.stringify({ store, seed, ...figures, seconds })
      : `${store}: ${words}: ${lost} lost, ${torn} torn, ${twice} twice, ${wrong} wrong (seed ${seed}, ${seconds} s)`,
  );
}

function argumentsOrUsage(): CrashArguments {
  try {
    return parseArguments(process.argv.slice(2));
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    process.exit(2);
  }
}

await main(argumentsOrUsage());
