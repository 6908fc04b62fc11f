// `npm run test:mutants`: breaks the source behind features chosen at random, in a copy of the tree, and shows that the test
// of each notices: it passes as the source is, and fails when it is broken. The last line of the output is JSON.
import { randomInt } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Random } from '../crash/random.ts';
import { mutants, type Mutant } from './mutants.ts';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    // Only those whose file or proof has this text.
    only: { type: 'string', default: '' },
  },
});
const [count = 0, seed = 0] = [values.count, values.seed].map(Number);
if (!Number.isInteger(count) || count < 1 || !Number.isInteger(seed)) {
  console.error('npm run test:mutants -- [--count 20] [--seed N] [--only TEXT]');
  process.exit(2);
}

const root = new URL('../../', import.meta.url).pathname;
const tree = mkdtempSync(join(tmpdir(), 'statek-mutants-'));
try {
  for (const name of [
    'src',
    'tests',
    'bench',
    'engines',
    'docs',
    'scripts',
    'package.json',
    'tsconfig.json',
    'vitest.config.ts',
  ])
    cpSync(join(root, name), join(tree, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'));
  const chosen = choose(count, seed);
  const unbroken = new Map<string, boolean>();
  const rows = chosen.map((mutant) => {
    if (!unbroken.has(mutant.proof))
      // On a busy machine a test may run out of time once.
      unbroken.set(mutant.proof, passes(mutant.proof) || passes(mutant.proof));
    const isSound = unbroken.get(mutant.proof) === true;
    const isKilled = isSound && broken(mutant);
    const verdict = isSound ? (isKilled ? 'killed' : 'SURVIVED') : 'FAILS UNBROKEN';
    console.log(
      `${verdict.padEnd(15)} ${mutant.file}: ${mutant.find.trim().split('\n')[0]?.slice(0, 70) ?? ''}\n${' '.repeat(16)}${mutant.proof}`,
    );
    return verdict;
  });
  const killed = rows.filter((verdict) => verdict === 'killed').length;
  console.log(
    JSON.stringify({ seed, mutants: mutants.length, chosen: rows.length, killed, survived: rows.length - killed }),
  );
  process.exitCode = killed === rows.length ? 0 : 1;
} finally {
  rmSync(tree, { recursive: true, force: true });
}

function choose(wanted: number, from: number): readonly Mutant[] {
  const random = new Random(from);
  return mutants
    .filter(({ file, proof }) => `${file} ${proof}`.includes(values.only))
    .map((mutant) => ({ mutant, place: random.fraction() }))
    .toSorted((a, b) => a.place - b.place)
    .slice(0, wanted)
    .map(({ mutant }) => mutant);
}

/** Breaks the source, runs the test, and mends the source again; whether the test noticed. */
function broken({ file, find, replace, proof }: Mutant): boolean {
  const path = join(tree, file);
  const source = readFileSync(path, 'utf8');
  if (source.split(find).length !== 2) throw new Error(`${file} does not have once: ${find}`);
  writeFileSync(
    path,
    source.replace(find, () => replace),
  );
  try {
    return !passes(proof);
  } finally {
    writeFileSync(path, source);
  }
}

function passes(proof: string): boolean {
  const [file = '', title = ''] = proof.split(' › ');
  // What a table fills in may be anything.
  const pattern = title.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll(/%[a-z]/g, '.*');
  const report = join(tree, 'report.json');
  rmSync(report, { force: true });
  const vitest = join(tree, 'node_modules/vitest/vitest.mjs');
  const choice = [file, '-t', `${pattern}$`, '--reporter=json', `--outputFile=${report}`, '--root', tree];
  const { status } = spawnSync(process.execPath, [vitest, 'run', ...choice], { cwd: tree, stdio: 'ignore' });
  if (status !== 0) return false;
  const { numPassedTests } = JSON.parse(readFileSync(report, 'utf8')) as { numPassedTests: number };
  // A test that was not found proves nothing.
  return numPassedTests > 0;
}
