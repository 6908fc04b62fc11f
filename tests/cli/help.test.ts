// Every command explains itself, and shells can complete them all.
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { commands } from '../../src/cli/line/commands.ts';
import { Given } from '../../src/cli/line/command.ts';
import { parseCommandLine } from '../../src/cli/line/program.ts';
import { expectProcesses, json, statek, statekHere } from './support/statek.ts';

expectProcesses();

it('lists every command', async () => {
  const [help, none, version] = await Promise.all([statek(['--help']), statekHere([]), statekHere(['--version'])]);
  for (const { name } of commands) expect(help.stdout).toMatch(new RegExp(`^  ${name} `, 'm'));
  expect(none).toEqual(help);
  expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

it.each(commands.map(({ name }) => name))('%s has help with an example', async (name) => {
  let text = '';
  expect(await parseCommandLine(commands, '1.0.0', [name, '--help'], (piece) => (text += piece))).toBeUndefined();
  expect(text).toMatch(new RegExp(`Examples?:\\n  \\$ statek ${name}`));
  expect(text).toContain('--json');
});

it('takes options of every command before and after its name', async () => {
  const before = await parseCommandLine(
    commands,
    '1.0.0',
    ['--json', '--store', 'x', 'jobs', '--count'],
    () => undefined,
  );
  const after = await parseCommandLine(
    commands,
    '1.0.0',
    ['jobs', '--count', '--json', '--store', 'x'],
    () => undefined,
  );
  for (const parsed of [before, after]) {
    expect(parsed?.globals).toEqual({ json: true, store: 'x' });
    expect(parsed?.given).toBeInstanceOf(Given);
    expect(parsed?.given.flag('count')).toBe(true);
  }
});

it('writes completion scripts that shells accept', async () => {
  const bash = (await statekHere(['completion', 'bash'])).stdout;
  execFileSync('bash', ['-n'], { input: bash });
  const complete = (line: string): string[] =>
    execFileSync('bash', [], {
      input: `${bash}\nCOMP_WORDS=(${line}) COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))\n_statek\nprintf '%s\\n' "\${COMPREPLY[@]}"`,
      encoding: 'utf8',
    })
      .trim()
      .split('\n');
  expect(complete('statek roll')).toEqual(['rollback']);
  expect(complete('statek jobs --st')).toEqual(['--status', '--store', '--store-only']);
  expect(complete('statek --json jobs --status S')).toEqual(['STARTED', 'SUSPENDED']);
  expect(complete('statek completion f')).toEqual(['fish']);
  for (const shell of ['zsh', 'fish'] as const) {
    const { script } = (await json(['completion', shell])) as { script: string };
    for (const { name } of commands) expect(script).toContain(name);
    // A shell that is not installed has no status.
    const { status } = spawnSync(shell, [shell === 'fish' ? '--no-execute' : '-n'], { input: script });
    expect([0, null]).toContain(status);
  }
});

it('extracts what a model would be told', async () => {
  const file = 'statek.config.ts';
  const [text, python, record] = await Promise.all([
    statekHere(['docs', file]),
    statekHere(['docs', file, '--language', 'python']),
    json(['docs', '.']),
  ]);
  expect(text.stdout).toContain(
    '/** A note that is kept. */\ndeclare class Note {\n  constructor(text: string);\n  text: string;\n}',
  );
  expect(python.stdout).toMatch(/^class Note:\n    """A note that is kept\."""/);
  expect(record).toMatchObject({ version: 1, declarations: [{ kind: 'class', name: 'Note' }] });
});

it.each(['index', 'mcp', 'postgres', 'testing'])('statek (%s) says on import which Node it needs', (entry) => {
  const older = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.11.0' } })";
  const file = new URL(`../../src/${entry}.ts`, import.meta.url).href;
  const { stdout } = spawnSync(
    process.execPath,
    [
      '--import',
      `data:text/javascript,${older}`,
      '--input-type=module',
      '--eval',
      `await import(${JSON.stringify(file)}).catch(({ code, message }) => console.log(code, message))`,
    ],
    { encoding: 'utf8' },
  );
  expect(stdout).toBe(
    'NODE_VERSION statek needs Node 22.18 or newer; this is Node 20.11.0. Install a newer version from https://nodejs.org.\n',
  );
});

it('imports nothing by name that an old Node lacks, which would fail before it could say so', () => {
  const folder = join(import.meta.dirname, '../../src');
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .filter((name) => /import \{[^}]*\bzstd\w*[^}]*\} from 'node:zlib'/.test(readFileSync(join(folder, name), 'utf8')));
  expect(found).toEqual([]);
});

it('tells a Node that is too old what it needs', () => {
  const older = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.11.0' } })";
  const program = new URL('../../src/cli/main.ts', import.meta.url);
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${older}`, program.pathname],
    {
      encoding: 'utf8',
    },
  );
  expect(stderr).toBe(
    'statek needs Node 22.18 or newer; this is Node 20.11.0. Install a newer version from https://nodejs.org.\n',
  );
  expect(status).toBe(1);
});
