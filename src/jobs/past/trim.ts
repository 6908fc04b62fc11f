// Rows of a job that belong only to commits of its program that are no longer kept: what was recorded of it at them, its events and
// calls until then, and messages it has read. How it began stays.
import { scanAll, type Key, type Store } from '../../store/door.ts';
import { removeRows, type KeptHistory } from '../../workspace/door.ts';
import { readJob } from '../changes/job-changes.ts';
import { jobCallRows, jobEventRows, jobInboxRows, jobPastRows } from '../rows.ts';

/** Returns how many rows were removed. */
export async function trimJob(store: Store, id: string, { oldest, hashes }: KeptHistory): Promise<number> {
  const known = await readJob(store, id);
  if (known === undefined || known.row.workspace !== undefined) return 0;
  const { read } = known.row.messages;
  const { time } = oldest;
  const past = async function* (): AsyncGenerator<Key, void, undefined> {
    for await (const { key } of scanAll(store, jobPastRows, { prefix: [id] }))
      if (!hashes.has(String(key[1]))) yield key;
  };
  const events = async function* (): AsyncGenerator<Key, void, undefined> {
    for await (const { key, value } of scanAll(store, jobEventRows, { prefix: [id] })) {
      if (value.time >= time) return;
      if (key[1] !== 1) yield key;
    }
  };
  const calls = async function* (): AsyncGenerator<Key, void, undefined> {
    for await (const { key, value } of scanAll(store, jobCallRows, { prefix: [id] })) {
      if (value.created >= time) return;
      if (value.outcome !== undefined && (value.ended ?? time) < time) yield key;
    }
  };
  const messages = async function* (): AsyncGenerator<Key, void, undefined> {
    for await (const { key, value } of scanAll(store, jobInboxRows, { prefix: [id] })) {
      if (value.time >= time || value.number > read) return;
      if (value.number !== 1) yield key;
    }
  };
  let removed = await removeRows(store, jobPastRows, past());
  removed += await removeRows(store, jobEventRows, events());
  removed += await removeRows(store, jobCallRows, calls());
  return removed + (await removeRows(store, jobInboxRows, messages()));
}
