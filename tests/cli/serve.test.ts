// `statek serve`: the API of an application in a process of its own.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, expect, it } from 'vitest';

const main = join(import.meta.dirname, '../../src/cli/main.ts');
const application = join(import.meta.dirname, 'application');
const folder = mkdtempSync(join(tmpdir(), 'statek-cli-serve-'));
const children: ChildProcess[] = [];

afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }
  rmSync(folder, { recursive: true, force: true });
});

interface Served {
  readonly child: ChildProcess;
  readonly url: string;
  readonly token: string;
  /** What it has printed. */
  readonly lines: readonly string[];
  readonly logged: readonly string[];
}

const serve = (...words: string[]): Promise<Served> => serveIn(application, ...words);

async function serveIn(cwd: string, ...words: string[]): Promise<Served> {
  const args = [main, 'serve', '--store', join(folder, 'store'), '--port', '0', '--json', ...words];
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  const lines: string[] = [];
  const logged: string[] = [];
  const output = createInterface(child.stdout).on('line', (line) => lines.push(line));
  createInterface(child.stderr).on('line', (line) => logged.push(line));
  await once(output, 'line');
  return { child, ...(JSON.parse(lines[0] ?? '') as { url: string; token: string }), lines, logged };
}

it('submits a job, works on it, and goes on after it was killed', async () => {
  const first = await serve('--no-worker');
  const headers = { authorization: `Bearer ${first.token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ role: 'double', vars: { n: 21 } });
  const submitted = await fetch(`${first.url}v1/jobs/d`, { method: 'PUT', headers, body });
  expect(submitted.status).toBe(200);
  expect((await fetch(`${first.url}v1/jobs/d`)).status).toBe(401);
  const killed = once(first.child, 'exit');
  first.child.kill('SIGKILL');
  await killed;
  const second = await serve();
  const result = await fetch(`${second.url}v1/jobs/d/result?wait=60`, {
    headers: { authorization: `Bearer ${second.token}` },
  });
  expect(await result.json()).toMatchObject({ outcome: 'completed', result: 42 });
  const exited = once(second.child, 'exit');
  second.child.kill('SIGINT');
  expect((await exited)[0]).toBe(0);
});

it('lets worker processes work, and logs requests', async () => {
  const { child, url, token, lines, logged } = await serve('--processes', '2', '--access-log');
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'x-request-id': 'first' };
  const body = JSON.stringify({ role: 'double', vars: { n: 4 } });
  await fetch(`${url}v1/jobs/p`, { method: 'PUT', headers, body });
  const result = await fetch(`${url}v1/jobs/p/result?wait=60`, { headers });
  expect(await result.json()).toMatchObject({ result: 8 });
  await expect.poll(() => lines.filter((line) => line.includes('process.working')).length, { timeout: 60_000 }).toBe(2);
  expect(JSON.parse(logged[0] ?? '')).toMatchObject({
    requestId: 'first',
    caller: 'owner',
    method: 'PUT',
    route: '/v1/jobs/{id}',
    status: 200,
  });
  const workers = lines.flatMap((line) => {
    const { kind, pid } = JSON.parse(line) as { kind: string; pid: number };
    return kind === 'process.working' ? [pid] : [];
  });
  const exited = once(child, 'exit');
  child.kill('SIGINT');
  expect((await exited)[0]).toBe(0);
  for (const pid of workers) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});

it('takes its token and its hosts from .env', async () => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, '.env'),
    'STATEK_SERVER_TOKEN=a-token-of-16-letters\nSTATEK_SERVER_HOSTS=app.example.com\n',
  );
  const { url, token, logged } = await serveIn(folder, '--store-only', '--no-worker');
  expect(token).toBeUndefined();
  const headers = { authorization: 'Bearer a-token-of-16-letters', host: 'app.example.com' };
  const [answer] = (await once(get(`${url}v1/jobs`, { headers }), 'response')) as [IncomingMessage];
  answer.resume();
  expect(answer.statusCode).toBe(200);
  expect(logged).toEqual([]);
});
