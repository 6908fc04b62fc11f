// The command line on PostgreSQL, through a configuration whose function opens the store.
import { expect, it, vi } from 'vitest';
import { postgresForTests } from '../support/postgres.ts';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expectProcesses, json, kill, start, statek, statekHere } from './support/statek.ts';

expectProcesses();

const server = await postgresForTests();

it.skipIf(server === undefined)('runs, looks, answers and verifies', async () => {
  if (server === undefined) return;
  const { schema, drop } = await server.freshSchema();
  const environment = { STATEK_TEST_CLI_POSTGRES: server.url, STATEK_TEST_CLI_SCHEMA: schema };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  try {
    expect(await json(['run', '--role', 'double', '--vars', '{"n":3}', '--id', 'd'])).toMatchObject({
      result: 6,
    });
    await json(['run', '--role', 'asks', '--id', 'a', '--detach']);
    await statek(['worker', '--until-idle'], { environment });
    expect(await json(['waiting'])).toMatchObject([{ id: 'a/1', kind: 'ask' }]);
    await json(['run', '-w', 'w', '--use', 'Note', '-c', `const note = new Note('x'); note.text`]);
    const locals = json(['locals', 'w']);
    expect(await locals).toMatchObject({ note: { '[class]': 'Note', text: 'x' } });
    expect((await statekHere(['answer', 'a', 'Monday'])).stdout).toBe('Answered a/1: Which day?\n');
    const { stdout } = await statekHere(['jobs']);
    expect(stdout).toMatch(/d +double +DONE completed/);
    const { findings } = (await json(['doctor'])) as {
      findings: { name: string; status: string; text: string }[];
    };
    expect(findings.find(({ name }) => name === 'store')).toMatchObject({
      status: 'ok',
      text: expect.stringContaining('postgres') as unknown,
    });
  } finally {
    await drop();
  }
});

it.skipIf(server === undefined)('serves with worker processes', async () => {
  if (server === undefined) return;
  const { schema, drop } = await server.freshSchema();
  const environment = { STATEK_TEST_CLI_POSTGRES: server.url, STATEK_TEST_CLI_SCHEMA: schema };
  const serving = start(['serve', '--port', '0', '--json'], { environment });
  try {
    const output = createInterface(serving.stdout);
    const kinds: string[] = [];
    output.on('line', (line) => kinds.push((JSON.parse(line) as { kind: string }).kind));
    const [line] = (await once(output, 'line')) as [string];
    const { url, token } = JSON.parse(line) as { url: string; token: string };
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ role: 'double', vars: { n: 21 } });
    await fetch(`${url}v1/jobs/d`, { method: 'PUT', headers, body });
    const result = await fetch(`${url}v1/jobs/d/result?wait=60`, { headers });
    expect(await result.json()).toMatchObject({ result: 42 });
    expect(kinds).toContain('process.started');
    const ended = once(serving, 'close');
    serving.kill('SIGINT');
    expect((await ended)[0]).toBe(0);
  } finally {
    await kill(serving);
    await drop();
  }
});
