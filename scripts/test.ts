// `npm test`: every check and every test, one line each, and a last line that counts them.
// With arguments (`npm test -- store`) only vitest runs, with those arguments.
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { addCounts, countVitest, summaryLine } from './support/counts.ts';
import type { Counts } from './support/counts.ts';
import { LineWriter, loudLines } from './support/lines.ts';
import { build } from './support/build.ts';
import { fastFolder } from './support/fast-folder.ts';
import { CommandError, run, tool } from './support/run.ts';
import type { Finished } from './support/run.ts';

const vitestArguments = process.argv.slice(2);
const temporary = mkdtempSync(join(fastFolder(), 'statek-test-'));
// A server that the tests start as another user has its files in here.
chmodSync(temporary, 0o711);
const dist = join(temporary, 'dist');
const failed: string[] = [];
const loud = new Set<string>();
const removeTemporary = (): void => rmSync(temporary, { recursive: true, force: true });
// They may be in memory, so they do not stay behind if somebody stops the run.
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)
  process.once(signal, () => {
    removeTemporary();
    process.exit(code);
  });

try {
  const lanes = vitestArguments.length > 0 ? [tests()] : [tests(), checks()];
  const counts = addCounts(await Promise.all(lanes));
  if (loud.size > 0) console.log(`\n${[...loud].join('\n')}`);
  if (failed.length > 0) console.log(`\nFailed: ${failed.join(', ')}`);
  console.log(`\n${summaryLine(counts)}`);
  if (counts.failed > 0) process.exitCode = 1;
} finally {
  removeTemporary();
}

/** One after the other, fast ones first: on a small machine the tests leave only one core for them. */
async function checks(): Promise<Counts> {
  const script = (name: string, ...args: string[]) => run(process.execPath, [`scripts/${name}.ts`, ...args]);
  const results = [
    await check('format', () => run(tool('oxfmt'), ['--check'])),
    await check('lint', () => run(tool('oxlint'), ['--type-aware'])),
    await check('types', () => run(tool('tsc'), ['--noEmit'])),
    await check('types of the inspector', () => run(tool('tsc'), ['--project', 'web', '--noEmit'])),
    await check('layers', () => script('check-layers')),
    await check('error codes', () => script('check-errors')),
    await check('unused code', () => run(tool('knip'), ['--no-progress', '--no-config-hints'])),
  ];
  const built = await check('build', () => buildQuietly());
  results.push(built);
  if (built) {
    results.push(await check('public API', () => script('check-api', '--build', dist)));
    results.push(await check('packed package', () => script('check-package', '--build', dist)));
  }
  const passed = results.filter(Boolean).length;
  return { passed, failed: results.length - passed, skipped: 0 };
}

async function check(name: string, work: () => Promise<Finished>): Promise<boolean> {
  const start = performance.now();
  const { code, output } = await work();
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(` ${code === 0 ? '✓' : '✗'} check: ${name} ${seconds} s`);
  if (code === 0) return true;
  failed.push(name);
  console.log(output.trim().replaceAll(/^/gm, '     '));
  return false;
}

async function buildQuietly(): Promise<Finished> {
  try {
    await build(dist, { areTypesChecked: true });
    return { code: 0, output: '' };
  } catch (error) {
    if (error instanceof CommandError) return { code: 1, output: error.message };
    throw error;
  }
}

async function tests(): Promise<Counts> {
  const results = join(temporary, 'vitest.json');
  const files = join(temporary, 'files');
  mkdirSync(files);
  const lines = new LineWriter((line) => {
    if (loudLines.test(line)) loud.add(line.trim());
    if (!line.startsWith('JSON report written')) console.log(line);
  });
  const { code } = await run(
    tool('vitest'),
    ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${results}`, ...vitestArguments],
    {
      onOutput: (text) => lines.write(text),
      environment: {
        ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' }),
        // The tests start and kill hundreds of processes; a shared cache spares each from compiling the sources again.
        NODE_COMPILE_CACHE: join(temporary, 'compiled'),
        TMPDIR: files,
      },
    },
  );
  lines.end();
  const counts = countVitest(results, code);
  if (counts.failed > 0) failed.push('tests');
  return counts;
}
