// Roles of a kit as members of teams: whether one is there and busy follows from the workers of the role and the jobs they hold.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { program, Statek, tool, type StatekOptions } from '../../src/index.ts';
import { OrchestrationStateManager } from '../../src/state.ts';
import { openLocation, statePlaces, type StateLocation } from './support/places.ts';

const patience = { timeout: 30_000, interval: 50 };
// Nothing here waits for a lease to run out, and a busy machine may hold this thread up, which renews those in memory.
const leaseMilliseconds = 120_000;

describe.each(Object.keys(statePlaces))('on %s', (engine) => {
  async function place() {
    const made = await (statePlaces[engine] as (typeof statePlaces)[string])();
    onTestFinished(() => made.dispose());
    return made;
  }

  async function open(location: StateLocation, options: Partial<StatekOptions> = {}) {
    const store = await openLocation(location);
    const kit = await Statek.open({ store, leaseMilliseconds, ...options });
    let closed: Promise<void> | undefined;
    const close = () => (closed ??= kit.close({ graceMilliseconds: 0 }).then(() => store.close()));
    onTestFinished(close);
    return { kit, close };
  }

  const availability = async (kit: Statek, team: string) =>
    (await kit.teams.getTeam(team))?.agents['clerk']?.availability;

  it('a member is idle, busy and gone as the workers of its role are', { timeout: 120_000 }, async () => {
    const { location } = await place();
    const begun = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    const book = tool({
      name: 'book',
      idempotent: true,
      execute: async () => {
        begun.resolve();
        await end.promise;
        return 'booked';
      },
    });
    const clerk = program<string>({ role: 'clerk', source: 'await book({})' });
    const working = { drivers: [clerk], services: { book } };
    const office = await open(location);
    const { teams } = office.kit;
    const agents = { clerk: { role: 'clerk', capabilities: ['booking'] }, ann: {} };
    await teams.createTeam({ teamId: 'early', agents });
    expect((await teams.getTeam('early'))?.agents['clerk']).toMatchObject({ role: 'clerk', status: 'gone', jobs: [] });

    const one = await open(location, working);
    one.kit.start();
    await expect.poll(() => availability(office.kit, 'early'), patience).toBe('idle');
    // A worker that runs hears of a team that is made later.
    await teams.createTeam({ teamId: 'late' });
    await teams.addAgent('late', 'clerk', { role: 'clerk' });
    expect(await availability(office.kit, 'late')).toBe('idle');
    expect(await teams.getAvailableAgents('early', { capability: 'booking' })).toHaveLength(1);

    const job = await one.kit.submit(clerk, { vars: { book } });
    await begun.promise;
    expect((await teams.getTeam('early'))?.agents['clerk']).toMatchObject({
      availability: 'busy',
      status: 'working',
      jobs: [job.id],
      tasks: [],
    });
    expect(await teams.getAvailableAgents('early', { capability: 'booking' })).toEqual([]);
    end.resolve();
    expect(await job.result()).toBe('booked');
    await expect.poll(() => availability(office.kit, 'early'), patience).toBe('idle');

    const two = await open(location, working);
    two.kit.start();
    await one.close();
    await expect.poll(() => availability(office.kit, 'early'), patience).toBe('idle');
    await two.close();
    expect(await availability(office.kit, 'early')).toBe('gone');
  });

  it(
    'a member is gone while the process of its worker stands still, and when it was killed',
    { timeout: 120_000 },
    async ({ skip }) => {
      const { location, isShared } = await place();
      if (!isShared) return skip('one process has this store');
      // The child has leases of a second; where the server does not notice a death, they run out.
      const { kit } = await open(location);
      await kit.teams.createTeam({ teamId: 'office', agents: { clerk: { role: 'clerk' } } });
      const seen: string[] = [];
      kit.teams.subscribe('office', (event) => {
        if (event.kind === 'agent') seen.push(event.agent?.availability ?? '');
      });
      const child = fork(join(import.meta.dirname, 'support/role-child.ts'), [JSON.stringify(location)]);
      onTestFinished(() => void child.kill('SIGKILL'));
      await once(child, 'message');
      await expect.poll(() => availability(kit, 'office'), patience).toBe('idle');
      await expect.poll(() => seen.at(-1), patience).toBe('idle');
      child.kill('SIGSTOP');
      await expect.poll(() => availability(kit, 'office'), patience).toBe('gone');
      child.kill('SIGCONT');
      await expect.poll(() => availability(kit, 'office'), patience).toBe('idle');
      await expect.poll(() => seen.at(-1), patience).toBe('idle');
      child.kill('SIGKILL');
      await expect.poll(() => availability(kit, 'office'), patience).toBe('gone');
      await expect.poll(() => seen.at(-1), patience).toBe('gone');
    },
  );
});

it('refuses roles where nothing is known of them', async () => {
  const alone = new OrchestrationStateManager({ store: 'memory:' });
  onTestFinished(() => alone.close());
  const agents = { clerk: { role: 'clerk' } };
  await expect(alone.createTeam({ teamId: 'office', agents })).rejects.toMatchObject({
    code: 'STATE_ARGUMENT',
    message: expect.stringContaining('Use kit.teams') as string,
  });
  const kit = await Statek.open({ store: 'memory:' });
  onTestFinished(() => kit.close());
  await kit.teams.createTeam({ teamId: 'office' });
  await expect(kit.teams.addAgent('office', 'clerk', { role: 'clerk', present: true })).rejects.toMatchObject({
    code: 'STATE_ARGUMENT',
  });
});
