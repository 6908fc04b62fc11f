// The command line on Redis, whose location says all there is to say.
import { expect, it, vi } from 'vitest';
import { redisForTests } from '../support/redis.ts';
import { expectProcesses, json, statek, statekHere } from './support/statek.ts';

expectProcesses();

const server = await redisForTests();

it.skipIf(server === undefined)('runs, looks, answers and verifies', async () => {
  if (server === undefined) return;
  const { location, drop } = server.freshPrefix();
  const environment = { STATEK_STORE: location };
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
      text: expect.stringContaining('redis') as unknown,
    });
  } finally {
    await drop();
  }
});
