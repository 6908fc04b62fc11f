// The command line on Redis, whose location says all there is to say.
import { expect, it } from 'vitest';
import { redisForTests } from '../support/redis.ts';
import { expectProcesses, json, statek } from './support/statek.ts';

expectProcesses();

const server = await redisForTests();

it.skipIf(server === undefined)('runs, looks, answers and verifies', async () => {
  if (server === undefined) return;
  const { location, drop } = server.freshPrefix();
  const environment = { STATEK_STORE: location };
  try {
    expect(await json(['run', '--role', 'double', '--vars', '{"n":3}', '--id', 'd'], { environment })).toMatchObject({
      result: 6,
    });
    await json(['run', '--role', 'asks', '--id', 'a', '--detach'], { environment });
    await statek(['worker', '--until-idle'], { environment });
    expect(await json(['waiting'], { environment })).toMatchObject([{ id: 'a/1', kind: 'ask' }]);
    await json(['run', '-w', 'w', '--use', 'Note', '-c', `const note = new Note('x'); note.text`], { environment });
    const locals = json(['locals', 'w'], { environment });
    expect(await locals).toMatchObject({ note: { '[class]': 'Note', text: 'x' } });
    expect((await statek(['answer', 'a', 'Monday'], { environment })).stdout).toBe('Answered a/1: Which day?\n');
    const { stdout } = await statek(['jobs'], { environment });
    expect(stdout).toMatch(/d +double +DONE completed/);
    const { findings } = (await json(['doctor'], { environment })) as {
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
