// What people get wrong, and what gets in the way: each ends with its own code, and with a line that helps.
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readSettings } from '../../src/agents/settings/settings.ts';
import { expectProcesses, openApplication, start, statek, statekHere, temporaryFolder } from './support/statek.ts';

expectProcesses();

describe('usage', () => {
  it.each<[string[], RegExp]>([
    [['jbos'], /^USAGE: Unknown command 'jbos'.*Did you mean jobs\?/],
    [['jobs', '--rolle', 'x'], /^USAGE: Unknown option '--rolle'.*statek jobs --help/],
    [['jobs', '--status', 'LATE'], /^USAGE: .*Allowed choices are READY/],
    [['jobs', '--limit', 'many'], /^USAGE: --limit: 'many' is not a whole number from 1/],
    [['jobs', '--since', 'yesterday'], /^USAGE: --since: 'yesterday' is not a time\. Write a date like/],
    [
      ['schedules', 'set', 'x', '--role', 'double', '--at', 'soon'],
      /^USAGE: --at: 'soon' is not a time\. .*or in how long, like 2h/,
    ],
    [['show'], /^USAGE: Missing required argument 'id'/],
    [['run', '-c', '1', '--vars', '{'], /^USAGE: --vars is not JSON/],
    [['run', '--role', 'x', '-c', '1'], /^USAGE: --code cannot be combined with --role/],
    [['run', 'no-such-file.ts'], /^USAGE: Cannot read .*no-such-file\.ts/],
    [['help', 'jbos'], /^USAGE: Unknown command 'jbos'\. See statek --help\./],
    [['mcp', '--token', 'a-token-of-16-letters'], /^USAGE: --token is for HTTP\. Add --port/],
    [['completion', 'tcsh'], /^USAGE: No completion script for 'tcsh'/],
  ])('%j ends with 2', async (words, message) => {
    const { code, stdout, stderr } = await statekHere(words);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});

describe('a port', () => {
  it.each(['serve', 'inspect', 'mcp'])('that is in use is told by statek %s', async (command) => {
    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const store = join(temporaryFolder(), 'data');
    await (await openApplication(store)).close();
    const { code, stderr } = await statekHere([command, '--port', String(port), '--store', store]);
    expect(code).toBe(1);
    expect(stderr).toMatch(new RegExp(`^CANNOT_LISTEN: Cannot listen on 127\\.0\\.0\\.1:${port}: .*--port`));
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});

describe('the configuration file', () => {
  const broken = async (text: string, ...words: string[]): Promise<{ code: number | null; stderr: string }> => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'statek.config.ts'), text);
    return statek(words.length === 0 ? ['jobs'] : words, { folder });
  };

  it('is asked for where there is none', async () => {
    const { code, stderr } = await statekHere(['jobs'], { folder: temporaryFolder() });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^CONFIG: No statek\.config\.ts in this folder or above.*--store/);
  });

  it.each([
    ['export default {', /cannot be loaded/],
    ['throw new Error("not today")', /cannot be loaded: Error: not today/],
    ['export default () => { throw new Error("no"); }', /threw an error in its exported function: Error: no/],
    ['export const store = 1', /has no default export/],
    ['export default 7', /it exports a number/],
    ['export default { agents: [] }', /sets no store/],
  ])('%j is told with its path', async (text, message) => {
    const { code, stderr } = await broken(text);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^CONFIG: .*statek\.config\.ts/);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it('shows the stack of what went wrong if it is asked to', async () => {
    const { stderr } = await broken('throw new Error("not today")', 'jobs', '--verbose');
    expect(stderr).toMatch(/not today[\s\S]*\n\s+at /);
  });

  it('has options that are checked', async () => {
    const { code, stderr } = await broken(`export default { store: 'memory:', agnets: [] }`);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^INVALID_OPTION: Statek\.open has no option 'agnets'/);
  });

  it('is a warning and not an end to the doctor', async () => {
    const { code, stderr, stdout } = (await broken('export default {', 'doctor')) as {
      code: number;
      stderr: string;
      stdout: string;
    };
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toMatch(/ok +node[\s\S]*FAIL +configuration: CONFIG/);
  });
});

it('finds the store by --store, the configuration, the environment and .env, in this order', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, '.env'), 'STATEK_STORE=./from-file\n');
  mkdirSync(join(folder, 'configured'));
  writeFileSync(
    join(folder, 'configured/statek.config.mjs'),
    `export default { store: './own', settings: { chatStyle: 'DIRECT' } }`,
  );
  const told = async (options: Parameters<typeof statek>[1], ...words: string[]): Promise<unknown> => {
    const { store } = JSON.parse((await statek(['config', '--json', ...words], options)).stdout) as { store: unknown };
    return store;
  };
  const environment = { STATEK_STORE: 'postgres://me:secret@db/x' };
  expect(await told({ folder })).toEqual({ location: './from-file', source: '.env' });
  expect(await told({ folder, environment })).toEqual({ location: 'postgres://me:…@db/x', source: 'environment' });
  const configured = join(folder, 'configured');
  expect(await told({ folder: configured, environment })).toEqual({ location: './own', source: 'configuration file' });
  const ignored = await statek(['config'], { folder: configured, environment });
  expect(ignored.stderr).toMatch(/STATEK_STORE is ignored, because the configuration file names the store \.\/own\./);
  expect(await told({ folder: configured, environment }, '--store', 'given')).toEqual({
    location: join(configured, 'given'),
    source: '--store',
  });
  const text = await statek(['config', '--set'], { folder: configured });
  expect(text.stdout).toMatch(/chatStyle +DIRECT +configuration file +STATEK_CHAT_STYLE/);
  const { code, stderr } = await statek(['config'], { folder, environment: { STATEK_STROE: 'x' } });
  expect(code).toBe(0);
  expect(stderr).toMatch(/There is no setting STATEK_STROE; it is ignored\. Did you mean STATEK_STORE\?/);
});

it('tells every setting, its value, and who said it', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, '.env'), 'STATEK_MAX_TURNS=9\nSTATEK_PROMPTS=prompts\n');
  writeFileSync(
    join(folder, 'statek.config.mjs'),
    `export default { store: 'memory:', settings: { chatStyle: 'DIRECT', limits: { cost: 2 } } }`,
  );
  const environment = { STATEK_PROMPTS: 'other', STATEK_LOG_LEVEL: 'error' };
  const { stdout } = await statek(['config', '--json'], { folder, environment });
  const { settings } = JSON.parse(stdout) as { settings: { name: string; value: unknown; source: string }[] };
  const told = Object.fromEntries(settings.map(({ name, value, source }) => [name, [value, source]]));
  expect(told).toMatchObject({
    prompts: ['other', 'environment'],
    logLevel: ['error', 'environment'],
    'limits.turns': [9, '.env'],
    chatStyle: ['DIRECT', 'configuration file'],
    'limits.cost': [2, 'configuration file'],
    'limits.errorsInARow': [5, 'default'],
    'limits.tokens': ['unlimited', 'default'],
  });
  const { origins } = readSettings({}, { env: {} });
  expect(Object.keys(told)).toEqual(origins.map(({ name }) => name).filter((name) => name !== 'store'));
});

it('does not make a store that it was only to look at', async () => {
  const { code, stderr } = await statek(['jobs', '--store', 'typo'], { folder: temporaryFolder() });
  expect(code).toBe(3);
  expect(stderr).toMatch(/^NOT_FOUND: No store found at .*typo/);
});

describe('ids', () => {
  it('tells what fits, and what does not', async () => {
    const store = join(temporaryFolder(), 'data');
    const kit = await openApplication(store);
    for (const id of ['order-1', 'order-2', 'order-21']) await kit.submit('double', { id, vars: { n: 1 } });
    await kit.close();
    const at = (...words: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> =>
      statekHere([...words, '--store', store]);
    const [none, many, exact, question, role] = await Promise.all([
      at('show', 'nobody'),
      at('cancel', 'order'),
      at('pause', 'order-2'),
      at('answer', 'order-1', 'x'),
      at('run', '--role', 'nobody'),
    ]);
    expect(none).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/^NOT_FOUND: No job or workspace 'nobody'/) as unknown,
    });
    expect(many).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^AMBIGUOUS: 'order' is ambiguous: 3 ids start with it \(order-1, order-2, order-21\)/,
      ) as unknown,
    });
    expect(exact).toMatchObject({ code: 0, stdout: 'order-2: READY paused\n' });
    expect(question).toMatchObject({ code: 3, stderr: expect.stringContaining('has no open question') as unknown });
    expect(role).toMatchObject({ code: 4, stderr: expect.stringMatching(/^DRIVER_MISSING: /) as unknown });
  });
});

it('ends quietly when nobody reads its output any more', async () => {
  const store = join(temporaryFolder(), 'data');
  const kit = await openApplication(store);
  await kit.submitAll(
    'double',
    Array.from({ length: 3000 }, (_, n) => ({ vars: { n } })),
  );
  await kit.close();
  const child = start(['jobs', '--limit', '3000', '--store', store]);
  let stderr = '';
  child.stderr.on('data', (data: Buffer) => (stderr += data.toString()));
  child.stdout.once('data', () => child.stdout.destroy());
  expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0);
  expect(stderr).toBe('');
});

it('uses colours only where they are wanted', async () => {
  const store = join(temporaryFolder(), 'data');
  const kit = await openApplication(store);
  await kit.submit('double', { id: 'one\u001B[2J', vars: { n: 1 } });
  await kit.close();
  const colours = async (environment: Record<string, string>): Promise<string> =>
    (await statek(['jobs', '--store', store], { environment })).stdout;
  const [plain, forced, refused] = await Promise.all([
    colours({}),
    colours({ FORCE_COLOR: '1' }),
    colours({ NO_COLOR: '1' }),
  ]);
  expect(forced).toContain('\u001B[1m');
  expect(plain).not.toContain('\u001B');
  expect(refused).not.toContain('\u001B');
  // What programs and their users write cannot steer the terminal.
  expect(plain).toContain('one\\x1b[2J');
});
