// Compares the exports of the package with the reviewed lists in api/; `npm run check:api`, `npm run api:update`. With
// --build <folder> it reads that build instead of making one.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { apiReport, hiddenDeclarations } from './checks/api-report.ts';
import { declarationReader } from './checks/declarations.ts';
import { build } from './support/build.ts';
import { entryPoints } from './support/entry-points.ts';
import { CommandError, main, run } from './support/run.ts';
import { root } from './support/source.ts';

const { values } = parseArgs({ options: { update: { type: 'boolean' }, build: { type: 'string' } } });
const reviewed = join(root, 'api');

await main(async () => {
  const temporary = mkdtempSync(join(tmpdir(), 'statek-api-'));
  try {
    const dist = values.build ?? join(temporary, 'dist');
    if (values.build === undefined) await build(dist);
    const reports = reportsOf(dist);
    if (values.update === true) writeReports(reviewed, reports);
    else await compare(reports, join(temporary, 'api'));
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
});

function reportsOf(dist: string): Map<string, string> {
  const read = declarationReader();
  const entries = entryPoints().map(({ name, declarations }) => ({
    title: name,
    file: read(join(dist, declarations)),
  }));
  const hidden = hiddenDeclarations(entries);
  if (hidden.length > 0)
    throw new CommandError(
      `Exported declarations mention types that no entry point exports. Export them, mark the member @internal, or write the type out:\n${hidden.map((line) => `  ${line}`).join('\n')}`,
    );
  return new Map(
    entries.map((entry) => [
      `${entry.title.replaceAll('/', '-')}.api.md`,
      apiReport(
        entry,
        entries.filter((other) => other !== entry),
      ),
    ]),
  );
}

function writeReports(folder: string, reports: ReadonlyMap<string, string>): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of reports) writeFileSync(join(folder, name), text);
}

async function compare(reports: ReadonlyMap<string, string>, temporary: string): Promise<void> {
  const names = new Set([...reports.keys(), ...(existsSync(reviewed) ? readdirSync(reviewed) : [])]);
  const textIn = (name: string): string | undefined =>
    existsSync(join(reviewed, name)) ? readFileSync(join(reviewed, name), 'utf8') : undefined;
  if ([...names].every((name) => textIn(name) === reports.get(name))) {
    console.log(`${reports.size} entry points match the lists in api/.`);
    return;
  }
  writeReports(temporary, reports);
  const difference = await run('git', ['diff', '--no-index', '--no-color', '--', reviewed, temporary]).then(
    ({ output }) => output.replaceAll(temporary, '/api').replaceAll(reviewed, '/api'),
    () => 'Install git to see the difference.',
  );
  throw new CommandError(
    `The public API differs from the reviewed lists in api/. If the change is intended, run "npm run api:update" and commit the result.\n\n${difference}`,
  );
}
