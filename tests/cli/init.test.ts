// A new project, as it is made: it runs at once, without a key and without being asked anything.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { expectProcesses, json, statek, temporaryFolder } from './support/statek.ts';

expectProcesses();

it('makes a project that runs', async () => {
  const folder = temporaryFolder();
  const made = await statek(['init', 'My Planner', '--yes', '--store', './kept'], { folder });
  expect(made).toMatchObject({ code: 0, stderr: expect.stringContaining('npm install && npm start') as unknown });
  const project = join(folder, 'My Planner');
  const files = made.stdout
    .trim()
    .split('\n')
    .map((line) => line.slice(2));
  expect(files).toEqual(
    expect.arrayContaining([
      'package.json',
      'tsconfig.json',
      '.gitignore',
      '.env.example',
      'README.md',
      'statek.config.ts',
      'prompts/assistant.md',
    ]),
  );
  expect(JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))).toMatchObject({
    name: 'my-planner',
    type: 'module',
  });
  const deeper = join(project, 'some/where');
  mkdirSync(deeper, { recursive: true });
  const [job, program] = [
    await statek(['run', '--role', 'assistant', '--message', 'Book the planning on Thursday'], { folder: deeper }),
    await statek(['run', '../../programs/first.ts'], { folder: deeper }),
  ];
  expect(job).toMatchObject({ code: 0, stdout: 'Planning is on Thursday\n' });
  expect(program.stdout).toContain('slept: 3');
  // The configuration was found above, and its store is beside it.
  expect(existsSync(join(project, 'kept/statek.db'))).toBe(true);
  // Unless the environment names another one.
  const told = await statek(['config', '--json'], { folder: project, environment: { STATEK_STORE: './elsewhere' } });
  expect(JSON.parse(told.stdout)).toMatchObject({ store: { location: './elsewhere' } });
  expect(told.stderr).toBe('');
  const doctor = (await json(['doctor'], { folder: project })) as { findings: { name: string; status: string }[] };
  expect(doctor.findings.filter(({ status }) => status !== 'ok')).toEqual([]);
  expect(doctor.findings.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'node',
      'engine typescript',
      'engine python',
      'configuration',
      'store',
      'clock',
      'disk',
      'agent assistant',
    ]),
  );
});

it('makes a project whose agent and first program write Python', async () => {
  const folder = temporaryFolder();
  expect(await json(['init', '.', '--language', 'python', '--name', 'snakes'], { folder })).toMatchObject({
    name: 'snakes',
  });
  const { code, stdout } = await statek(['run', 'programs/first.py'], { folder });
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^a program can wait anywhere.*\n.*Monday/) as unknown,
  });
  const job = await statek(['run', '--role', 'assistant', '--message', 'Book the planning on Thursday'], { folder });
  expect(job).toMatchObject({ code: 0, stdout: 'Planning is on Thursday\n' });
  const made = ['assistant.ts', 'script.ts', 'prompts/assistant.md', 'README.md', 'package.json'].map((file) =>
    readFileSync(join(folder, file), 'utf8'),
  );
  for (const text of made) expect(text).not.toMatch(/```ts|in TypeScript|writes TypeScript|first\.ts/);
});

it('refuses a folder with something in it, and names that are none', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'mine.txt'), 'mine');
  const full = await statek(['init', '--yes'], { folder });
  expect(full).toMatchObject({ code: 4, stdout: '' });
  expect(full.stderr).toMatch(/^REFUSED: .*is not empty: it contains mine\.txt/);
  const name = await statek(['init', 'new', '--yes', '--name', 'Not A Name'], { folder });
  expect(name.code).toBe(2);
  expect(existsSync(join(folder, 'new'))).toBe(false);
});
