// A process is killed with -9 while a tool of an MCP server is at work. The call is not made a second time, unless the
// server says that this does no harm.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Models, Statek } from '../../src/index.ts';
import { deskAgent, deskScript } from './support/kill-agent.ts';
import { Place } from './support/place.ts';

// Programs are started here, and machines can be busy.
vi.setConfig({ testTimeout: 90_000 });

let place: Place;
beforeEach(() => {
  place = new Place();
});
afterEach(() => place.close());

async function killedDuring(tool: string): Promise<unknown> {
  place.hold();
  const child = fork(join(import.meta.dirname, 'support/mcp-kill-child.ts'), [place.folder, tool]);
  const exited = once(child, 'exit');
  const early = exited.then(([code]) => Promise.reject(new Error(`The process ended by itself (${String(code)}).`)));
  await Promise.race([once(child, 'message'), early]);
  early.catch(() => undefined);
  child.kill('SIGKILL');
  await exited;
  place.release();
  const kit = await Statek.open({
    store: join(place.folder, 'store'),
    agents: [await deskAgent(place)],
    models: new Models({ models: { script: deskScript(tool) }, env: {} }),
    leaseMilliseconds: 2000,
  });
  try {
    return await (await kit.job('job')).result();
  } finally {
    await kit.close();
  }
}

it('nobody knows what came of a call', async () => {
  expect(await killedDuring('slow')).toBe('OUTCOME_UNKNOWN');
  expect(place.lines().filter((line) => line === 'slow')).toHaveLength(1);
});

it('a call that is idempotent is made again', async () => {
  expect(await killedDuring('look')).toBe('slept');
  expect(place.lines().filter((line) => line === 'look')).toHaveLength(2);
});
