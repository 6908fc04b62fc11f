// A misspelt variable of the environment is worth a warning, and no more: whoever starts a program does not always choose its
// environment. Settings in code are another matter.
import { didYouMean } from './closest.ts';

/** Variables of tests and benchmarks of Statek itself. */
const ofTooling = /^STATEK_(?:TEST_|BENCH_|SEED$|ROUNDS$)/;
/** What this process has warned of. */
const warned = new Set<string>();

/** Warns of `STATEK_…` variables that mean nothing, once per process. `file` is where they stand, if not in the environment. */
export function warnOfUnknownVariables(names: Iterable<string>, known: readonly string[], file?: string): void {
  for (const name of names) {
    if (!name.startsWith('STATEK_') || known.includes(name) || ofTooling.test(name) || warned.has(name)) continue;
    warned.add(name);
    const place = file === undefined ? '' : ` (in ${file})`;
    process.emitWarning(`There is no setting ${name}${place}; it is ignored.${didYouMean(name, known)}`, {
      type: 'StatekWarning',
      code: 'STATEK_UNKNOWN_VARIABLE',
      detail: `There are ${known.join(', ')}.`,
    });
  }
}
