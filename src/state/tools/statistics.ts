// Statistics without reading the journal: calls that are over are in a log, and this folds the log into summaries of one tool, one
// role and one hour, day or ever, and into the index of executions. Each call is folded once, whoever folds.
import {
  commitParts,
  scanAll,
  scanUndamaged,
  StoreCorruptError,
  type Entry,
  type Key,
  type Page,
  type Store,
  type Write,
} from '../../store/door.ts';
import { callLogRows, type LoggedCall } from '../../workspace/door.ts';
import type { Place } from '../foundation/place.ts';
import type { ToolStats } from './records.ts';
import { foldRows, indexRows, summaryRows, type IndexRow } from './rows.ts';
import { Summary } from './summary.ts';

const hour = 3_600_000;
const day = 24 * hour;
/** How much is folded in one commit. */
const maxRows = 1000;
const maxCalls = 5000;

/** Which executions are counted. Times are rounded down to the hour; the answer says what was counted. */
export interface StatsFilter {
  readonly role?: string | undefined;
  /** Executions that began at this time or later. */
  readonly since?: Date | undefined;
  /** Executions that began before this time. */
  readonly until?: Date | undefined;
}

/** What statistics are told apart by. */
export type StatsGroup = 'tool' | 'role' | 'hour' | 'day';

export class ToolStatistics {
  readonly #place: Place;
  #folding: Promise<void> | undefined;

  constructor(place: Place) {
    this.#place = place;
  }

  /** Folds what is in the log by now. */
  async fold(): Promise<void> {
    // One at a time in this process. A call that ended before this was asked for may have come after the running fold looked.
    while (this.#folding !== undefined) await this.#folding;
    this.#folding = this.#fold().finally(() => {
      this.#folding = undefined;
    });
    await this.#folding;
  }

  /** Resolves when nothing is being folded in this process. */
  async settled(): Promise<void> {
    await this.#folding?.catch(() => undefined);
  }

  /** The statistics of a tool, or of all. */
  async of(toolName: string | undefined, filter: StatsFilter): Promise<ToolStats> {
    const summary = new Summary();
    for await (const { row } of this.#rows(toolName, filter)) summary.merge(row);
    return summary.stats({ toolName, role: filter.role, ...rounded(filter) });
  }

  /** Statistics by tool, role, hour or day, in order. */
  async by(group: StatsGroup, toolName: string | undefined, filter: StatsFilter): Promise<readonly ToolStats[]> {
    const groups = new Map<string | number, Summary>();
    for await (const { tool, role, start, row } of this.#rows(toolName, filter, group)) {
      const key = group === 'tool' ? tool : group === 'role' ? role : group === 'day' ? floor(start, day) : start;
      const summary = groups.get(key) ?? new Summary();
      groups.set(key, summary);
      summary.merge(row);
    }
    const span = group === 'hour' ? hour : day;
    return [...groups]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, summary]) =>
        typeof key === 'number'
          ? summary.stats({ toolName, role: filter.role, from: new Date(key), until: new Date(key + span) })
          : summary.stats({
              toolName: group === 'tool' ? key : toolName,
              role: group === 'role' ? key : filter.role,
              ...rounded(filter),
            }),
      );
  }

  async *#rows(
    toolName: string | undefined,
    filter: StatsFilter,
    group?: StatsGroup,
  ): AsyncGenerator<{ tool: string; role: string; start: number; row: ReturnType<Summary['row']> }> {
    await this.fold();
    const store = await this.#place.store();
    const { prefix } = this.#place;
    const tools = toolName === undefined ? await this.#tools(store) : [toolName];
    for (const tool of tools)
      for (const { level, from, to } of spans(filter, group)) {
        const under: Key = [prefix, level, tool];
        const range = {
          prefix: under,
          ...(from === undefined ? {} : { from: [...under, from] }),
          ...(to === undefined ? {} : { to: [...under, to] }),
        };
        for await (const { key, value } of scanAll(store, summaryRows, range, { limit: 10_000 })) {
          const role = String(key[4]);
          if (filter.role === undefined || filter.role === role)
            yield { tool, role, start: Number(key[3]), row: value };
        }
      }
  }

  /** The names of all tools: after each, the next one is looked for. */
  async #tools(store: Store): Promise<string[]> {
    const { prefix } = this.#place;
    const names: string[] = [];
    const range = { prefix: [prefix, 'ever'] };
    for await (const { key } of scanAll(store, summaryRows, range, { limit: 10_000 })) {
      const name = String(key[2]);
      if (names.at(-1) !== name) names.push(name);
    }
    return names;
  }

  async #fold(): Promise<void> {
    const store = await this.#place.store();
    const { prefix } = this.#place;
    for (;;) {
      const [position] = await store.read(foldRows, [[prefix]]);
      const page = await this.#logged(store);
      let calls = 0;
      const cut = page.entries.findIndex(({ value }) => (calls += value.length) > maxCalls);
      const entries = cut <= 0 ? page.entries.slice(0, cut === 0 ? 1 : undefined) : page.entries.slice(0, cut);
      if (entries.length === 0) return;
      const place = { collection: foldRows, key: [prefix] };
      const result = await commitParts(store, [
        {
          checks: [
            position === undefined
              ? { kind: 'absent', ...place }
              : { kind: 'revision', ...place, revision: position.revision },
          ],
          writes: [
            { kind: 'put', ...place, value: { folds: (position?.value.folds ?? 0) + 1 } },
            ...entries.map(({ key }): Write => ({ kind: 'remove', collection: callLogRows, key })),
            ...(await this.#folded(
              store,
              entries.flatMap(({ value }) => value),
            )),
          ],
        },
      ]);
      // On a conflict another process has folded these, and what is left is looked for again.
      if (result.status === 'committed' && entries.length === page.entries.length && page.cursor === undefined) return;
    }
  }

  /** The next rows of the log. What is damaged stays there, for `verify` to name; the others are counted. */
  async #logged(store: Store): Promise<Pick<Page<readonly LoggedCall[]>, 'entries' | 'cursor'>> {
    const range = { prefix: [this.#place.prefix] };
    try {
      return await store.scan(callLogRows, range, { limit: maxRows });
    } catch (error) {
      if (!(error instanceof StoreCorruptError)) throw error;
    }
    const entries: Entry<readonly LoggedCall[]>[] = [];
    for await (const entry of scanUndamaged(store, callLogRows, range, () => undefined)) {
      entries.push(entry);
      if (entries.length === maxRows) return { entries, cursor: 'more' };
    }
    return { entries, cursor: undefined };
  }

  async #folded(store: Store, calls: readonly LoggedCall[]): Promise<Write[]> {
    const { prefix } = this.#place;
    const summaries = new Map<string, { readonly key: Key; readonly summary: Summary }>();
    for (const call of calls)
      for (const [level, start] of levelsOf(call)) {
        const key = [prefix, level, call.tool, start, call.role];
        const name = JSON.stringify(key);
        const known = summaries.get(name) ?? { key, summary: new Summary() };
        summaries.set(name, known);
        known.summary.add(call);
      }
    const all = [...summaries.values()];
    const rows = await store.read(
      summaryRows,
      all.map(({ key }) => key),
    );
    return [
      ...all.map(({ key, summary }, index): Write => {
        const row = rows[index];
        if (row !== undefined) summary.merge(row.value);
        return { kind: 'put', collection: summaryRows, key, value: summary.row() };
      }),
      ...calls.flatMap((call) => (call.count === undefined && call.reported !== true ? indexWrites(prefix, call) : [])),
    ];
  }
}

/** What finds an execution by its tool and by the time it began. */
export function indexWrites(
  prefix: string,
  row: IndexRow,
  { tool, started }: { readonly tool: string; readonly started: number } = row as LoggedCall,
): Write[] {
  return [
    { kind: 'put', collection: indexRows, key: [prefix, 'all', started, row.id], value: row },
    { kind: 'put', collection: indexRows, key: [prefix, 'tool', tool, started, row.id], value: row },
  ];
}

function levelsOf({ started }: LoggedCall): readonly (readonly [string, number])[] {
  return [
    ['ever', 0],
    ['day', floor(started, day)],
    ['hour', floor(started, hour)],
  ];
}

interface Span {
  readonly level: 'ever' | 'day' | 'hour';
  readonly from?: number;
  readonly to?: number;
}

/** The fewest summaries that make up a time: whole days, and the hours around them. */
function spans({ since, until }: StatsFilter, group: StatsGroup | undefined): readonly Span[] {
  const from = since === undefined ? undefined : floor(since.getTime(), hour);
  const to = until === undefined ? undefined : floor(until.getTime(), hour);
  const between = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
  if (group === 'hour') return [{ level: 'hour', ...between }];
  if (from === undefined && to === undefined) return [{ level: group === 'day' ? 'day' : 'ever' }];
  const firstDay = from === undefined ? undefined : floor(from + day - 1, day);
  const lastDay = to === undefined ? undefined : floor(to, day);
  // Days that are cut are put together from their hours, which say themselves to which day they belong.
  if (group === 'day' || (firstDay !== undefined && lastDay !== undefined && firstDay >= lastDay))
    return group === 'day' && isWhole(from, day) && isWhole(to, day)
      ? [{ level: 'day', ...between }]
      : [{ level: 'hour', ...between }];
  return [
    ...(from === undefined || firstDay === undefined ? [] : [{ level: 'hour' as const, from, to: firstDay }]),
    {
      level: 'day',
      ...(firstDay === undefined ? {} : { from: firstDay }),
      ...(lastDay === undefined ? {} : { to: lastDay }),
    },
    ...(to === undefined || lastDay === undefined ? [] : [{ level: 'hour' as const, from: lastDay, to }]),
  ];
}

function isWhole(time: number | undefined, unit: number): boolean {
  return time === undefined || time % unit === 0;
}

function floor(time: number, unit: number): number {
  return Math.floor(time / unit) * unit;
}

function rounded({ since, until }: StatsFilter): Pick<ToolStats, 'from' | 'until'> {
  const down = (time: Date | undefined): Date | undefined => time && new Date(floor(time.getTime(), hour));
  return { from: down(since), until: down(until) };
}
