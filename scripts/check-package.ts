// Packs the package and checks it as a user would: lints it, installs it into an empty project, and uses it from
// JavaScript, CommonJS and TypeScript; `npm run check:package`. With --build <folder> it packs that build.
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { followPage } from '../tests/docs/follow.ts';
import { allPages, examplesIn, followedPages } from '../tests/docs/support.ts';
import { dependOnTarball } from './support/consumer.ts';
import { inspectorSize } from './support/inspector.ts';
import { pack } from './support/pack.ts';
import { allOf, CommandError, main, mustRun, tool } from './support/run.ts';
import { root } from './support/source.ts';

const { values } = parseArgs({ options: { build: { type: 'string' } } });

await main(async () => {
  const temporary = mkdtempSync(join(tmpdir(), 'statek-package-'));
  try {
    const tarball = await pack(temporary, values.build);
    checkInspector(join(temporary, 'package/dist/inspector'));
    await allOf([
      mustRun(tool('publint'), ['run', tarball, '--strict']),
      mustRun(tool('attw'), [tarball, '--profile', 'esm-only', '--no-emoji', '--no-definitely-typed']),
      useAsConsumer(temporary, tarball),
    ]);
    console.log('The packed package installs and works from JavaScript, TypeScript and the command line.');
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
});

/** The page must open fast on a slow line: what it weighs is checked, compressed as it is sent. */
function checkInspector(folder: string): void {
  const { first, all } = inspectorSize(folder);
  if (first > 40 * 1024 || all > 150 * 1024)
    throw new CommandError(
      `The inspector has ${first} bytes to load first (at most ${40 * 1024}) and ${all} in all (at most ${150 * 1024}).`,
    );
}

/** Pages, pictures and recipes that the pages of the package name are in it; examples and sources are in the repository only. */
function checkPages(folder: string): void {
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /^(?:README|deploy\/README|docs\/.*)\.md$/.test(name),
  );
  const missing = pages.flatMap((page) =>
    [...readFileSync(join(folder, page), 'utf8').matchAll(/\]\(([^)#:\s]+)[^):]*\)/g)]
      .map(([, link = '']) => join(dirname(page), link))
      .filter((path) => /^(?:docs|deploy)\//.test(path) && !existsSync(join(folder, path)))
      .map((path) => `${page} names ${path}`),
  );
  if (pages.length < 50 || missing.length > 0)
    throw new CommandError(`The package has ${pages.length} pages; missing are:\n${missing.join('\n')}`);
}

async function useAsConsumer(temporary: string, tarball: string): Promise<void> {
  const folder = join(temporary, 'consumer');
  cpSync(join(root, 'tests/package/consumer'), folder, { recursive: true });
  dependOnTarball(folder, tarball);
  await mustRun('npm', ['ci', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    folder,
  });
  checkPages(join(folder, 'node_modules/statek'));
  // TypeScript users have Node's types; takes those of the repository.
  mkdirSync(join(folder, 'node_modules/@types'));
  symlinkSync(join(root, 'node_modules/@types/node'), join(folder, 'node_modules/@types/node'), 'junction');
  await allOf([
    mustRun(process.execPath, ['from-javascript.js'], { folder }),
    mustRun(process.execPath, ['from-commonjs.cjs'], { folder }),
    refuseOldNode(folder),
    mustRun(tool('tsc'), ['--project', '.'], { folder }),
    mustRun(process.execPath, ['from-typescript.ts'], { folder }),
    useCommandLine(folder),
    followDocumentation(folder),
    compileDocumentation(folder),
  ]);
}

/** What people copy from the documentation compiles with the installed declarations. */
async function compileDocumentation(folder: string): Promise<void> {
  const there = join(folder, 'documentation');
  mkdirSync(there);
  const pages = ['README.md', ...allPages()];
  for (const { page = '', line, code } of pages.flatMap((one) => examplesIn(one)))
    writeFileSync(join(there, `${page.replaceAll(/[/.]/g, '-')}-${line}.ts`), `${code}\nexport {};\n`);
  const compilerOptions = { skipLibCheck: true, exactOptionalPropertyTypes: false, noUncheckedIndexedAccess: false };
  writeFileSync(
    join(there, 'tsconfig.json'),
    JSON.stringify({ extends: '../tsconfig.json', compilerOptions, include: ['*.ts'] }),
  );
  await mustRun(tool('tsc'), ['--project', there], { folder });
}

/** Copies files and types commands of the documentation, in empty folders with the installed package. */
async function followDocumentation(folder: string): Promise<void> {
  const install = (there: string): void =>
    symlinkSync(join(folder, 'node_modules'), join(there, 'node_modules'), 'junction');
  for (const page of followedPages) {
    const { saved, compared } = await followPage(join(root, page), { install });
    if (saved === 0 || compared === 0) throw new CommandError(`${page} has nothing to follow.`);
  }
}

/** Checks that a Node that reports an old version gets the message about the required one. */
async function refuseOldNode(folder: string): Promise<void> {
  const older = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })";
  const use = "await import('statek').catch(({ code, message }) => console.log(code, message))";
  const args = ['--import', `data:text/javascript,${older}`, '--input-type=module', '--eval', use];
  await expectOutput(process.execPath, args, folder, 'NODE_VERSION statek needs Node');
}

/** Makes a project with the installed command, as the documentation says, and runs what it brings. */
async function useCommandLine(folder: string): Promise<void> {
  const statek = join(folder, 'node_modules/.bin/statek');
  await mustRun(statek, ['init', 'project', '--yes'], { folder });
  const project = join(folder, 'project');
  await allOf([
    mustRun(tool('tsc'), ['--project', '.'], { folder: project }),
    mustRun(tool('tsc'), ['--project', 'programs'], { folder: project }),
    expectOutput(statek, ['run', '--role', 'assistant', '--message', 'Book it'], project, 'Planning is on Thursday'),
    expectOutput(statek, ['--version'], project, ownVersion()),
  ]);
  await expectOutput(statek, ['run', 'programs/first.ts'], project, 'slept: 3');
  await expectOutput(statek, ['jobs'], project, 'DONE completed');
  await expectOutput(statek, ['doctor'], project, 'verified');
}

async function expectOutput(command: string, args: readonly string[], folder: string, wanted: string): Promise<void> {
  const output = await mustRun(command, args, { folder });
  if (!output.includes(wanted))
    throw new CommandError(`statek ${args.join(' ')} did not print '${wanted}':\n${output}`);
}

function ownVersion(): string {
  return (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version;
}
