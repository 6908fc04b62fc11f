// A process that indexes is killed again and again. Whoever comes next goes on, and no item that was committed is handled again.
import { fork } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { KnowledgeStateManager } from '../../../src/state.ts';
import { openStoreAt } from '../../chaos/place.ts';
import { postgresForTests } from '../../support/postgres.ts';
import { storeFolder } from '../../workspace/support/kits.ts';

const items = 300;
const right = {
  kills: 4,
  failed: 0,
  repeated: [],
  handled: items,
  withSeveralKeys: 0,
  documents: items,
  embeddings: items,
  status: 'completed',
  matches: items,
  found: ['item-0', 'item-7', `item-${items - 1}`],
};

it('goes on after kill -9, without handling a committed item twice', async () => {
  expect(await run(storeFolder(), storeFolder())).toEqual(right);
});

it('does so on PostgreSQL', async ({ skip }) => {
  const postgres = await postgresForTests();
  if (postgres === undefined) return skip('there is no PostgreSQL');
  const { schema, drop } = await postgres.freshSchema();
  try {
    expect(await run(`${postgres.url}#${schema}`, storeFolder())).toEqual(right);
  } finally {
    await drop();
  }
});

/** Kills a process four times while it indexes, lets the next one finish, and looks at what became of it. */
async function run(place: string, folder: string): Promise<unknown> {
  const log = join(folder, 'calls');
  const store = await openStoreAt(place);
  const knowledge = new KnowledgeStateManager({ store });
  const calls = (): string[] => (existsSync(log) ? readFileSync(log, 'utf8').split('\n').filter(Boolean) : []);
  try {
    let kills = 0;
    const repeated: string[] = [];
    let report: unknown;
    for (;;) {
      const committed = await indexed(knowledge);
      const before = calls().length;
      report = await indexOnce(place, log, kills < 4 ? 1 + kills * 3 : Number.POSITIVE_INFINITY);
      const since = calls().slice(before);
      repeated.push(...since.filter((line) => committed.has(line.split(' ')[0] ?? '')));
      if (report !== undefined) break;
      kills++;
      // Some stores notice the death at once, others a moment later.
      while ((await knowledge.getIndexingProgress('base'))?.status === 'in_progress')
        await new Promise((resolve) => setTimeout(resolve, 20));
    }
    // An item that was in flight at a kill was given again with the same key.
    const keys = new Map<string, Set<string>>();
    for (const [id = '', key = ''] of calls().map((line) => line.split(' ')))
      keys.set(id, (keys.get(id) ?? new Set()).add(key));
    const state = await knowledge.getKnowledgeBaseState('base');
    const found: (string | undefined)[] = [];
    for (const number of [0, 7, items - 1])
      found.push((await knowledge.search('base', `number${number}`)).results[0]?.itemId);
    return {
      kills,
      failed: (report as { readonly failed: number }).failed,
      repeated,
      handled: keys.size,
      withSeveralKeys: [...keys.values()].filter(({ size }) => size > 1).length,
      documents: state?.totalDocuments,
      embeddings: state?.totalEmbeddings,
      status: state?.indexing.status,
      matches: (await knowledge.search('base', 'everything')).matches,
      found,
    };
  } finally {
    await knowledge.close();
    await store.close();
  }
}

/** Items that are committed. */
async function indexed(knowledge: KnowledgeStateManager): Promise<ReadonlySet<string>> {
  return new Set((await knowledge.getItems('base', 'source', { limit: 1000 })).items.map(({ itemId }) => itemId));
}

/** Returns the report, or undefined if the process was killed after so many signs of life. */
function indexOnce(place: string, log: string, signs: number): Promise<unknown> {
  const child = fork(join(import.meta.dirname, 'index-child.ts'), [place, log, String(items)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  let seen = 0;
  let report: unknown;
  child.on('message', (message) => {
    if (message !== 'working') report = message;
    else if (++seen >= signs) child.kill('SIGKILL');
  });
  return new Promise((resolve) => child.once('exit', () => resolve(report)));
}
