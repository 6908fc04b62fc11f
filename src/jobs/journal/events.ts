// What happens to jobs, as it is committed: each event once and in order, for one job or for all. Whoever listens pulls
// at their own pace; to go on after a restart, they give the last revision they have seen.
import type { Json } from '../../history/door.ts';
import type { ListStart, LookedAt } from '../../base/list-page.ts';
import { scanAll, type Store } from '../../store/door.ts';
import { jobEventRows, type JobEventKind, type JobEventRow } from '../rows.ts';
import type { JobSystem } from '../system.ts';

/** Something that happened to a job, with the commit it belongs to. */
export interface JobStreamEvent {
  readonly job: string;
  readonly kind: JobEventKind;
  readonly data: Json;
  readonly time: Date;
  /** The commit of the job's workspace that it belongs to, if it belongs to one. */
  readonly commit: string | undefined;
  /** Counts what was committed for this job; events of one commit share it. */
  readonly number: number;
  /** The revision of the store that holds it: give it as `since` to go on after it. */
  readonly revision: number;
}

/** Which events are followed: of one job or all, from now or from a revision on, until the signal aborts. */
export interface EventOptions {
  /** Only events of this job. */
  readonly job?: string | undefined;
  /** After this revision; default: from now on. For one job, 0 gives everything from its beginning. */
  readonly since?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export async function* jobEvents(
  system: JobSystem,
  { job, since, signal }: EventOptions,
): AsyncGenerator<JobStreamEvent, void, undefined> {
  const { store } = system;
  const range = job === undefined ? {} : { prefix: [job] };
  let from = since;
  if (job !== undefined && since !== undefined) {
    // What is there is read from the rows, which outlive the log of changes.
    let cursor: string | undefined;
    let last = 0;
    do {
      const page = await store.scan(jobEventRows, range, { cursor });
      for (const { key, value, revision } of page.entries) {
        last = Math.max(last, revision);
        if (revision > since) yield* eventsOf(key, value, revision);
      }
      from = page.cursor === undefined ? Math.max(page.revision, last) : from;
      cursor = page.cursor;
    } while (cursor !== undefined);
  }
  for await (const { changes, revision } of store.follow({ collections: [jobEventRows], range, since: from, signal })) {
    const keys = changes.filter(({ kind }) => kind === 'put').map(({ key }) => key);
    const entries = keys.length === 0 ? [] : await store.read(jobEventRows, keys);
    // What was deleted since is passed over.
    for (const entry of entries) if (entry !== undefined) yield* eventsOf(entry.key, entry.value, revision);
  }
}

/** Events after a revision, up to another one that the store has reached. */
export async function* pastJobEvents(
  { store }: Pick<JobSystem, 'store'>,
  { job, since, until }: { readonly job?: string | undefined; readonly since: number; readonly until: number },
): AsyncGenerator<JobStreamEvent, void, undefined> {
  if (since >= until) return;
  if (job !== undefined) {
    for await (const { key, value, revision } of scanAll(store, jobEventRows, { prefix: [job] }))
      if (revision > since && revision <= until) yield* eventsOf(key, value, revision);
    return;
  }
  const end = new AbortController();
  try {
    // Every revision, so that the last one is recognised whatever it has changed.
    for await (const { changes, revision } of store.follow({ since, signal: end.signal })) {
      const keys = changes
        .filter(({ kind, collection }) => kind === 'put' && collection === jobEventRows.name)
        .map(({ key }) => key);
      const entries = keys.length === 0 ? [] : await store.read(jobEventRows, keys);
      for (const entry of entries) if (entry !== undefined) yield* eventsOf(entry.key, entry.value, revision);
      if (revision >= until) return;
    }
  } finally {
    end.abort();
  }
}

/** What has happened to one job so far, from any place on: a place is [number, event of that commit]. */
export async function* eventList(
  store: Store,
  job: string,
  { isReverse, after }: ListStart,
): AsyncGenerator<LookedAt<JobStreamEvent>, void, undefined> {
  const [from, seen] = after ?? [];
  const range = isReverse
    ? { from: [job, 0], to: [job, from === undefined ? Number.MAX_SAFE_INTEGER : from + 1] }
    : { from: [job, from ?? 0], to: [job, Number.MAX_SAFE_INTEGER] };
  for await (const { key, value, revision } of scanAll(store, jobEventRows, range, {
    reverse: isReverse,
    limit: 200,
  })) {
    const number = Number(key[1]);
    const events = [...eventsOf(key, value, revision)].map((item, index) => ({
      item,
      after: [number, index] as const,
    }));
    for (const found of isReverse ? events.toReversed() : events) {
      const [, index] = found.after;
      if (number !== from || seen === undefined || (isReverse ? index < seen : index > seen)) yield found;
    }
  }
}

export function* eventsOf(key: readonly unknown[], row: JobEventRow, revision: number): Generator<JobStreamEvent> {
  for (const { kind, data = null } of row.events)
    yield {
      job: String(key[0]),
      kind,
      data,
      time: new Date(row.time),
      commit: row.commit,
      number: Number(key[1]),
      revision,
    };
}
