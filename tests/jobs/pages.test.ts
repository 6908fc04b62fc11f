// Console, calls, events and conversation page by page: together the pages are the whole list, in both directions, and a page reads
// no more than it needs.
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { Agent, Models, openStore, tool, type Job, type JobCall, type Store } from '../../src/index.ts';
import type { ListPage, ListPageOptions } from '../../src/types.ts';
import { scriptedModel } from '../../src/testing.ts';
import { consoleRows, workspaceRows, type WorkspaceRow } from '../../src/workspace/rows.ts';
import { openKit } from '../workspace/support/kits.ts';

const tools = [
  // Over as soon as it is called: it is kept with its slice.
  tool({
    name: 'note',
    description: 'Notes.',
    input: z.object({ text: z.string() }),
    execute: ({ text }) => text.length,
  }),
  tool({
    name: 'post',
    description: 'Posts.',
    input: z.object({ text: z.string() }),
    execute: async ({ text }) => `posted ${text}`,
  }),
];

const loop = `\`\`\`ts
for (let round = 1; round <= 4; round++) {
  print('round', round);
  if (round % 2) print('odd');
  note('a' + round);
  await post('b' + round);
  note('c' + round);
}
await ask('More?');
\`\`\``;

async function all<Item>(
  page: (options: ListPageOptions) => Promise<ListPage<Item>>,
  order: 'newest' | 'oldest',
  limit: number,
): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | undefined;
  do {
    const next = await page({ order, limit, cursor });
    expect(next.items.length).toBeLessThanOrEqual(limit);
    items.push(...next.items);
    ({ cursor } = next);
  } while (cursor !== undefined);
  return items;
}

const idOf = ({ id, by, name }: JobCall): string => `${by} ${id} ${name}`;

/** Whatever the limit and the order, the pages are the list. */
async function expectPages(job: Job, commit?: string): Promise<void> {
  const lines = commit === undefined ? await job.console() : await (await job.at(commit)).console();
  const calls = (commit === undefined ? await job.calls() : await job.callsAt(commit)).map(idOf);
  const chat = commit === undefined ? await job.chat() : await job.chatAt(commit);
  const events = await job.pastEvents();
  for (const limit of [1, 3, 1000])
    for (const order of ['oldest', 'newest'] as const) {
      const turned = <Item>(list: readonly Item[]): readonly Item[] => (order === 'oldest' ? list : list.toReversed());
      expect(await all((page) => job.consolePage({ ...page, commit }), order, limit)).toEqual(turned(lines));
      expect((await all((page) => job.callPage({ ...page, commit }), order, limit)).map(idOf)).toEqual(turned(calls));
      expect(await all((page) => job.chatPage({ ...page, commit }), order, limit)).toEqual(turned(chat));
      expect(await all((page) => job.eventPage(page), order, limit)).toEqual(turned(events));
    }
}

it('are the list, of a job, of its past, after it went back, and of a fork', async () => {
  const agent = new Agent({ role: 'clerk', chatStyle: 'MD_DIALOG', metadata: { MODEL: 'script' }, tools });
  const kit = await openKit({ agents: [agent], models: new Models({ models: { script: scriptedModel([loop]) } }) });
  const job = await kit.submit(agent, { id: 'busy', message: 'Go.' });
  await kit.runUntilIdle();
  expect(await job.console()).toHaveLength(6);
  expect((await job.calls()).filter(({ by }) => by === 'program').map(({ name }) => name)).toEqual(
    [1, 2, 3, 4].flatMap(() => ['clerk.note(…)', 'clerk.post(…)', 'clerk.note(…)']),
  );
  await expectPages(job);
  const middle = (await job.commits())[2]?.hash ?? '';
  await expectPages(job, middle);
  expect((await job.callsAt(middle)).length).toBeLessThan((await job.calls()).length);
  const fork = await job.fork(middle, 'fork');
  await job.rollback(middle);
  await kit.runUntilIdle();
  await expectPages(job);
  await expectPages(fork);
  await expectPages(fork, (await fork.commits())[0]?.hash);
  for (const { id, name } of await fork.calls()) expect(await fork.call(id)).toMatchObject({ id, name });
  expect(await fork.call('busy/999')).toBeUndefined();
  expect((await job.callPage({ text: 'POST', limit: 1 })).items.map(({ name }) => name)).toEqual(['clerk.post(…)']);
  expect((await job.consolePage({ text: 'ROUND 3' })).items).toEqual(['round 3']);
  await expect(job.consolePage({ cursor: '{}' })).rejects.toThrow('this cursor is not one of this list');
  await expect(job.callPage({ limit: 0 })).rejects.toThrow("'limit'");
});

it('are the conversation as it stands', async () => {
  const agent = new Agent({
    role: 'clerk',
    chatStyle: 'MD_DIALOG',
    metadata: { MODEL: 'script' },
    systemPrompt: 'Hi.',
  });
  const script = scriptedModel(['```ts\nlet a = 1\n```', 'One.', '```ts\nlet b = 2\n```', 'Two.', 'Three.']);
  const kit = await openKit({ agents: [agent], models: new Models({ models: { script } }) });
  const job = await kit.submit(agent, { id: 'talk', message: 'First?' });
  await job.result();
  const [first] = await job.commits();
  await job.say('Second?');
  await job.result();
  await job.rollback(first?.hash ?? '');
  await kit.runUntilIdle();
  expect((await job.chat({ undone: true })).length).toBeGreaterThan((await job.chat()).length);
  await expectPages(job);
  await expectPages(job, first?.hash);
  expect(await all((page) => job.chatPage({ ...page, undone: true }), 'newest', 2)).toEqual(
    (await job.chat({ undone: true })).toReversed(),
  );
});

it('read no more than they give', async () => {
  const store: Store = await openStore('memory:');
  onTestFinished(() => store.close());
  const kit = await openKit({ store });
  const workspace = await kit.workspace('long');
  await workspace.run("print('first')");
  // As if it had printed in ten thousand commits, ten lines each.
  const last = 10_000;
  for (let from = 1; from <= last; from += 500)
    await store.commit([
      {
        writes: Array.from({ length: 500 }, (_, index) => ({
          kind: 'put' as const,
          collection: consoleRows,
          key: ['long', from + index],
          value: Array.from({ length: 10 }, (__, line) => ({ step: 1, level: 'log', text: `${from + index}.${line}` })),
        })),
      },
    ]);
  const [entry] = await store.read(workspaceRows, [['long']]);
  const value = entry?.value as WorkspaceRow;
  const state = { ...value.state, console: [{ workspace: 'long', from: 1, to: last }] };
  await store.commit([
    { writes: [{ kind: 'put', collection: workspaceRows, key: ['long'], value: { ...value, state } }] },
  ]);
  let rows = 0;
  const { scan } = store;
  store.scan = async (...given) => {
    const page = await Reflect.apply(scan, store, given);
    if (given[0] === consoleRows) rows += page.entries.length;
    return page;
  };
  const page = await workspace.consolePage({ order: 'newest', limit: 20 });
  expect([page.items[0], page.items.at(-1)]).toEqual(['10000.9', '9999.0']);
  expect(rows).toBeLessThan(300);
  rows = 0;
  const found = await workspace.consolePage({ text: '1.5', limit: 5 });
  expect(found.items.slice(0, 2)).toEqual(['1.5', '11.5']);
  // A search that finds nothing stops, and says where to go on.
  const none = await workspace.consolePage({ text: 'nowhere' });
  expect([none.items, typeof none.cursor]).toEqual([[], 'string']);
  expect(rows).toBeLessThan(1500);
});
