// `npm run walk`: traces a message to an agent, a signal to a waiting job and a read of an object's field, and counts files,
// functions, layer changes, store reads and commits. The last line is JSON. `--list=message` prints the functions in order,
// `--draw` renders the pictures of docs/architecture.md.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drawn } from './draw.ts';
import { stations } from './stations.ts';
import { traced, traceSources, type TracedFunction } from './trace.ts';

traceSources();
const { walks } = await import('./walks.ts');

/** The counts of one walk. */
interface Walk {
  readonly files: number;
  readonly functions: number;
  readonly layerChanges: number;
  readonly storeReads: number;
  readonly commits: number;
}

const folder = mkdtempSync(join(tmpdir(), 'statek-walk-'));
const isJson = process.argv.includes('--json');
const isDrawn = process.argv.includes('--draw');
const listed = process.argv.find((argument) => argument.startsWith('--list='))?.slice('--list='.length);
const results: Record<string, Walk> = {};
try {
  for (const [name, prepare] of Object.entries(walks)) {
    const { walk, counts, close } = await prepare(join(folder, name));
    const before = { ...counts };
    const entered = await traced(walk);
    results[name] = {
      ...measured(entered),
      storeReads: counts.reads - before.reads,
      commits: counts.commits - before.commits,
    };
    if (listed === name) for (const line of path(entered)) console.log(line);
    if (isDrawn && isStationed(name)) draw(name, entered);
    await close();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
if (!isJson || process.stdout.isTTY) console.table(results);
console.log(JSON.stringify(results));

function measured(entered: readonly TracedFunction[]): Pick<Walk, 'files' | 'functions' | 'layerChanges'> {
  return {
    files: new Set(entered.map(({ file }) => file)).size,
    functions: new Set(entered).size,
    layerChanges: new Set(
      entered.flatMap((one, index) => {
        const next = entered[index + 1];
        return next === undefined || layerOf(one) === layerOf(next) ? [] : [`${one.name} ${next.name}`];
      }),
    ).size,
  };
}

function layerOf({ file }: TracedFunction): string {
  return file.split('/')[0] ?? '';
}

/** The functions in the order in which they were first entered. */
function path(entered: readonly TracedFunction[]): string[] {
  return [...new Set(entered)].map(({ name }) => name);
}

function isStationed(name: string): name is keyof typeof stations {
  return Object.hasOwn(stations, name);
}

/** Draws a walk after verifying that it passes all drawn stations in order. */
function draw(name: keyof typeof stations, entered: readonly TracedFunction[]): void {
  let at = 0;
  for (const station of stations[name]) {
    if ('commit' in station) continue;
    const found = entered.findIndex(
      (one, index) => index >= at && one.file === station.file && one.name.endsWith(` ${station.name}`),
    );
    if (found < 0)
      throw new Error(
        `The walk '${name}' no longer passes ${station.file} ${station.name}. Update scripts/walk/stations.ts.`,
      );
    at = found;
  }
  writeFileSync(new URL(`../../docs/pictures/walk-${name}.svg`, import.meta.url), drawn(name));
}
