// `statek inspect`: the inspector of a store, of a project, and of a job in a file, in a process of its own.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { upToDateInspector } from '../../scripts/support/inspector.ts';

const main = join(import.meta.dirname, '../../src/cli/main.ts');
const application = join(import.meta.dirname, 'application');
const folder = mkdtempSync(join(tmpdir(), 'statek-cli-inspect-'));
const store = join(folder, 'store');
const children: ChildProcess[] = [];

beforeAll(upToDateInspector, 120_000);
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }
  rmSync(folder, { recursive: true, force: true });
});

interface Inspecting {
  readonly child: ChildProcess;
  readonly url: string;
  readonly token: string;
  readonly link: string;
}

async function inspect(...words: string[]): Promise<Inspecting> {
  const child = spawn(process.execPath, [main, 'inspect', '--json', ...words], {
    cwd: application,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { child, ...(JSON.parse(line) as Omit<Inspecting, 'child'>) };
}

async function jobs({ url, token }: Inspecting): Promise<readonly { id: string; status: string }[]> {
  const answer = await fetch(`${url}v1/jobs`, { headers: { authorization: `Bearer ${token}` } });
  return ((await answer.json()) as { jobs: { id: string; status: string }[] }).jobs;
}

function statek(...words: string[]): string {
  const { stdout, stderr, status } = spawnSync(process.execPath, [main, ...words], { cwd: application });
  expect(`${stderr.toString()}${status}`).toMatch(/0$/);
  return stdout.toString();
}

it('serves the page of a store, and shows a job out of a file', async () => {
  statek('run', '--store', store, '--role', 'double', '--vars', '{"n": 21}', '--id', 'd');
  const first = await inspect(store, '--no-open');
  expect(first.link).toBe(`${first.url}#token=${first.token}`);
  expect(await jobs(first)).toMatchObject([{ id: 'd', status: 'DONE' }]);
  const page = await fetch(first.url);
  expect(await page.text()).toContain('<div id="app">');
  const ended = once(first.child, 'exit');
  first.child.kill('SIGINT');
  expect((await ended)[0]).toBe(0);

  const file = join(folder, 'job.statek');
  statek('export', '--store', store, 'd', '--output', file);
  const second = await inspect(file, '--no-open');
  expect(second.link).toContain(`&to=${encodeURIComponent('/jobs/d')}`);
  expect(await jobs(second)).toMatchObject([{ id: 'd', status: 'DONE' }]);
});
