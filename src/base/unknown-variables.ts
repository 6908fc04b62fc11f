// A misspelt environment variable is only a warning, because whoever starts a program does not always control its
// environment. A misspelt setting in code is an error.
import { didYouMean } from './closest.ts';

/** Variables for the tests and benchmarks of Statek itself. */
const ofTooling = /^STATEK_(?:TEST_|BENCH_|SEED$|ROUNDS$)/;
/** Variables this process has warned about. */
const warned = new Set<string>();

/** Warns about unknown `STATEK_…` variables, once per process. `file` is where they are set, if not in the environment. */
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
