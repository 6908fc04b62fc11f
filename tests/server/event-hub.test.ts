// One follower for many readers: each reader gets every event once and in order, wherever it begins and however slow it is.
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { program, Statek } from '../../src/index.ts';
import { EventHub } from '../../src/server/access/event-hub.ts';

const counting = program<number>({
  role: 'counting',
  source: (input) => `for (let i = 0; i < ${String(input)}; i++) await sleep(0); 'done'`,
});

type Listed = { readonly job: string; readonly kind: string; readonly number: number; readonly revision: number };
const name = ({ job, number, kind, revision }: Listed): string => `${revision} ${job} ${number} ${kind}`;

async function read(
  hub: EventHub,
  options: { job?: string; since?: number },
  isLast: (event: Listed) => boolean,
  slow = 0,
): Promise<string[]> {
  const end = new AbortController();
  const seen: string[] = [];
  for await (const event of hub.events({ ...options, signal: end.signal })) {
    seen.push(name(event));
    if (slow > 0 && seen.length % slow === 0) await pause(1);
    if (isLast(event)) break;
  }
  end.abort();
  return seen;
}

it('misses nothing of a job that nobody watched until now', async () => {
  const kit = await Statek.open({ store: 'memory:', drivers: [counting] });
  const hub = new EventHub(kit);
  const worker = kit.start();
  const end = new AbortController();
  // Somebody watches another job all the time, so that the follower runs.
  const idle = hub.events({ job: 'nobody', signal: end.signal }).next();
  const job = await kit.submit(counting, { id: 'busy', input: 300 });
  const isEnd = ({ kind }: Listed): boolean => kind === 'done';
  const readers: Promise<string[]>[] = [];
  while ((await job.refresh()).status !== 'DONE') {
    if (readers.length < 200) readers.push(read(hub, { job: 'busy', since: 0 }, isEnd));
    await new Promise(setImmediate);
  }
  const all = (await job.pastEvents()).map(name);
  expect(readers.length).toBeGreaterThan(0);
  for (const seen of await Promise.all(readers)) expect(seen).toEqual(all);
  end.abort();
  await idle;
  await worker.stop();
  await kit.close();
});

it('gives every reader the same events, whenever it joins', async () => {
  const kit = await Statek.open({ store: 'memory:', drivers: [counting] });
  // So few may wait that slow readers fall behind and read from the store.
  const hub = new EventHub(kit, 5);
  const worker = kit.start();
  const isEnd = ({ job, kind }: Listed): boolean => job === 'last' && kind === 'done';
  const readers: Promise<string[]>[] = [read(hub, { since: 0 }, isEnd), read(hub, { since: 0 }, isEnd, 7)];
  for (let index = 0; index < 5; index++) {
    await (await kit.submit(counting, { id: `job ${index}`, input: 20 })).result();
    readers.push(read(hub, { since: 0 }, isEnd, index));
  }
  const ofOne = read(hub, { job: 'job 3', since: 0 }, ({ kind }) => kind === 'done');
  await (await kit.submit(counting, { id: 'last', input: 400 })).result();
  const all = await read(hub, { since: 0 }, isEnd);
  expect(all.length).toBeGreaterThan(500);
  expect(new Set(all).size).toBe(all.length);
  for (const seen of await Promise.all(readers)) expect(seen).toEqual(all);
  expect(await ofOne).toEqual(all.filter((event) => event.split(' ').slice(1, 3).join(' ') === 'job 3'));
  // From any revision on.
  for (const start of [10, 100, 300]) {
    const since = Number(all[start]?.split(' ')[0]);
    expect(await read(hub, { since }, isEnd)).toEqual(all.filter((event) => Number(event.split(' ')[0]) > since));
  }
  await worker.stop();
  await kit.close();
});

it('says what has changed besides jobs', async () => {
  const kit = await Statek.open({ store: 'memory:', drivers: [counting] });
  const end = new AbortController();
  const notices = async (hub: EventHub, last: string): Promise<readonly string[]> => {
    const seen: string[] = [];
    for await (const event of hub.everything({ signal: end.signal })) {
      if (event.kind !== 'changed' && event.kind !== 'deleted') continue;
      seen.push(event.kind === 'deleted' ? event.job : event.what);
      if (seen.at(-1) === last) break;
    }
    return seen;
  };
  const quick = notices(new EventHub(kit), 'keys');
  // So few may wait for it that it falls behind, and is told to read everything again.
  const slow = notices(new EventHub(kit, 0), 'all');
  const job = await kit.submit(counting, { id: 'gone', input: 0 });
  await kit.runUntilIdle();
  await job.delete();
  await kit.schedule('yearly', { cron: '0 0 1 1 *', submit: { role: counting } });
  await kit.state.save('colour', 'blue');
  expect(await quick).toEqual(['gone', 'schedules', 'keys']);
  expect(await slow).toEqual(['all']);
  end.abort();
  await kit.close();
});
