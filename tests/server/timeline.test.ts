// What a job did over time, as the inspector draws it: every lane, and bounded however long the job is.
import { onTestFinished, expect, it } from 'vitest';
import { program, Statek } from '../../src/index.ts';
import { client, type StatekClient } from '../../src/client.ts';
import { server } from '../../src/server.ts';

const token = 'token-for-the-tests';

const calculator = { double: async (number: number): Promise<number> => number * 2 };
const counting = program<number>({
  role: 'counting',
  source: (steps) => `for (let i = 0; i < ${String(steps)}; i++) await until(Date.now())`,
});
const busy = program({
  role: 'busy',
  source:
    "const who = await ask('Who?'); const child = await delegate('counting', { input: 1 }); const four = await calculator.double(2); four",
});

const failing = program({ role: 'failing', source: "throw new Error('no')" });

async function serve(): Promise<{ kit: Statek; far: StatekClient }> {
  const kit = await Statek.open({ store: 'memory:', drivers: [counting, busy, failing], services: { calculator } });
  const listening = await server(kit, { token }).listen();
  onTestFinished(async () => {
    await listening.close();
    await kit.close();
  });
  return { kit, far: client({ url: listening.url, token }) };
}

type Lanes = Readonly<Record<string, readonly { readonly label: string; readonly state: string }[]>>;

it('has slices, calls, waits and children in their lanes', async () => {
  const { kit, far } = await serve();
  await kit.submit(busy, { id: 'busy', vars: { calculator } });
  await kit.runUntilIdle();
  const before = await far.get('/jobs/{id}/timeline', { path: { id: 'busy' } });
  expect(lanesOf(before)['wait']).toMatchObject([{ label: 'Who?', state: 'waiting' }]);
  expect(before.isOver).toBe(false);
  const { waiting } = await far.get('/waiting');
  await far.post('/waiting/{id}/answer', { path: { id: waiting[0]?.id ?? '' }, body: { value: 'Ann' } });
  await kit.runUntilIdle();
  const after = await far.get('/jobs/{id}/timeline', { path: { id: 'busy' } });
  const lanes = lanesOf(after);
  expect(after.isOver).toBe(true);
  expect(lanes['wait']).toMatchObject([{ label: 'Who?', state: 'done' }]);
  expect(lanes['child']).toHaveLength(1);
  expect(lanes['call']?.map(({ label }) => label).join()).toContain('double');
  expect(lanes['slice']?.length).toBeGreaterThanOrEqual(3);
});

it('is bounded, and shows a part in more detail', async () => {
  const { kit, far } = await serve();
  await kit.submit(counting, { id: 'long', input: 60 });
  await kit.runUntilIdle();
  const path = { id: 'long' };
  const whole = await far.get('/jobs/{id}/timeline', { path, query: { pieces: 10 } });
  const slices = whole.lanes.find(({ lane }) => lane === 'slice')?.spans ?? [];
  expect(slices.length).toBeLessThanOrEqual(10);
  const count = slices.reduce((sum, span) => sum + span.count, 0);
  expect(count).toBe((whole.commits?.last ?? 0) - 1);
  // A part has what lies in it, and nothing else.
  const [first] = slices;
  const part = await far.get('/jobs/{id}/timeline', {
    path,
    query: { from: first?.start ?? 0, to: first?.end ?? 0, pieces: 2000 },
  });
  const within = part.lanes.find(({ lane }) => lane === 'slice')?.spans ?? [];
  expect(within.reduce((sum, span) => sum + span.count, 0)).toBeLessThanOrEqual(count);
  expect(within.every(({ start }) => start >= (first?.start ?? 0) && start <= (first?.end ?? 0) + 1)).toBe(true);
});

function lanesOf(timeline: {
  readonly lanes: readonly { readonly lane: string; readonly spans: Lanes[string] }[];
}): Lanes {
  return Object.fromEntries(timeline.lanes.map(({ lane, spans }) => [lane, spans]));
}

it('shows the one slice of a job that failed at once', async () => {
  const { kit, far } = await serve();
  await kit.submit(failing, { id: 'failing' });
  await kit.runUntilIdle();
  const timeline = await far.get('/jobs/{id}/timeline', { path: { id: 'failing' } });
  expect(lanesOf(timeline)['slice']).toMatchObject([{ label: 'step 1' }]);
});
