// Benchmarks durable objects: opening, reading, changing and querying a million of them, large collections, and the cost
// for guest code; compared with hand-written `node:sqlite` rows of the same durability in the same run.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openStore, Statek } from '../../src/index.ts';
import { idOf } from '../../src/objects/graph.ts';
import { milliseconds, percentile, type Measurement } from '../support/measurement.ts';
import { measureCommits, measureElements, Written } from './commits.ts';
import { measureGuest } from './guest.ts';
import { HandRows } from './hand-rows.ts';
import { loadObjects, loadRows, progress } from './load.ts';
import { classes, Directory, scattered, type Person } from './people.ts';
import { measureQueries } from './queries.ts';
import { rowsOf, type Figures, type OpenFigures, type ReadAllFigures } from './report.ts';

export async function measure(quick: boolean): Promise<readonly Measurement[]> {
  const folder = mkdtempSync(join(process.env['STATEK_BENCH_FOLDER'] ?? process.cwd(), 'bench-objects-'));
  try {
    return rowsOf(await measureIn(folder, quick));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureIn(folder: string, quick: boolean): Promise<Figures> {
  const sizes = { people: quick ? 50_000 : 1_000_000, list: quick ? 50_000 : 1_000_000, map: quick ? 10_000 : 100_000 };
  const rounds = quick ? 100 : 500;
  const location = join(folder, 'objects');
  const loadingSeconds = await withKit(location, new Written(), (kit) => loadObjects(kit, sizes));
  const hand = new HandRows(join(folder, 'rows.db'));
  const handLoadingSeconds = loadRows(hand, sizes);
  const started = performance.now();
  progress('opening and reading in new processes', started);
  const id = await withKit(location, new Written(), (kit) =>
    kit.transaction(() =>
      idOf([...(directoryOf().byNumber?.select(sizes.people >> 1, (sizes.people >> 1) + 1) ?? [])][0] as Person),
    ),
  );
  const opens = Array.from({ length: quick ? 5 : 15 }, () => child('open-child.ts', location, id) as OpenFigures);
  const handOpen = await measureHandOpen(join(folder, 'rows.db'), sizes.people >> 1);
  progress('reading all objects', started);
  // Node collects garbage near the limits of its heap; low ones show how much memory is really needed.
  const readAll = child('read-all-child.ts', location, '64') as ReadAllFigures;
  const written = new Written();
  const rest = await withKit(location, written, async (kit, store) => {
    progress('queries', started);
    const directory = directoryOf();
    const queries = await measureQueries(kit, hand, directory, sizes.people, rounds);
    progress('commits', started);
    const people = await kit.transaction(() => [...(directory.byNumber?.select(0, 2000) ?? [])]);
    // The first commits after loading find an empty log; a store in use does not.
    await measureCommits(kit, store, hand, people, rounds);
    const commits = await measureCommits(kit, store, hand, people, rounds * 2);
    const places = scattered(rounds + 1, sizes.list);
    const list = await measureElements(
      kit,
      written,
      rounds,
      (round) => (directory.list[places[round + 1] as number] = round),
      (round) => hand.setElement(places[round + 1] as number, round),
    );
    const keys = scattered(rounds + 1, sizes.map).map((number) => `key ${number}`);
    const map = await measureElements(
      kit,
      written,
      rounds,
      (round) => directory.map.set(keys[round + 1] as string, -2 - round),
      (round) => hand.setEntry(keys[round + 1] as string, -2 - round),
    );
    progress('guest code', started);
    return { queries, commits, list, map, guest: await measureGuest(kit, people[0] as Person, quick ? 2000 : 10_000) };
  });
  hand.close();
  return { sizes, loadingSeconds, handLoadingSeconds, opens, handOpen, readAll, ...rest };
}

async function withKit<Result>(
  location: string,
  written: Written,
  action: (kit: Statek, store: Awaited<ReturnType<typeof openStore>>) => Promise<Result>,
): Promise<Result> {
  const store = await openStore(location);
  const limits = { softCpuMilliseconds: 60_000, hardCpuMilliseconds: 120_000 };
  const kit = await Statek.open({ store: written.over(store), classes, limits });
  try {
    return await action(kit, store);
  } finally {
    await kit.close();
    await store.close();
  }
}

/** There is one, and `new` gives it. */
function directoryOf(): Directory {
  return new Directory();
}

async function measureHandOpen(file: string, number: number): Promise<number> {
  const samples: number[] = [];
  for (let round = 0; round < 9; round++)
    samples.push(
      await milliseconds(() => {
        const rows = new HandRows(file);
        rows.person(number);
        rows.close();
      }),
    );
  return percentile(samples, 0.5);
}

function child(name: string, ...parameters: readonly string[]): unknown {
  const program = join(import.meta.dirname, name);
  const output = execFileSync(
    process.execPath,
    ['--max-old-space-size=192', '--max-semi-space-size=8', program, ...parameters],
    {
      encoding: 'utf8',
    },
  );
  return JSON.parse(output) as unknown;
}
