// Finds for each row of the log that only releases items the call that asked for it. Such a row has no mark, and two
// calls may name the same item, so this is a matching: every row needs a call, and some calls need a row.
import type { ChangeSet } from '../../src/store/store.ts';
import type { JournalEntry, JournalLease } from './journal.ts';
import type { Problems } from './problem.ts';

interface Release {
  readonly leases: readonly JournalLease[];
  /** It was acknowledged and its leases cannot have been lost. */
  readonly needsRow: boolean;
}

export function matchReleases(rows: readonly ChangeSet[], entries: readonly JournalEntry[], problems: Problems): void {
  const calls = entries.flatMap(({ call, answer }): Release[] =>
    call.verb === 'release'
      ? [{ leases: call.leases, needsRow: answer !== undefined && call.leases.some(({ long }) => long) }]
      : [],
  );
  const callOf = new Map<ChangeSet, Release>();
  const rowOf = new Map<Release, ChangeSet>();
  const pair = (row: ChangeSet, call: Release): true => {
    callOf.set(row, call);
    rowOf.set(call, row);
    return true;
  };
  // Whoever has a partner keeps one when another pair is made, so those that need one can be served in any order.
  const serveCall = (call: Release, tried: Set<ChangeSet>): boolean =>
    rows.some((row) => {
      if (tried.has(row) || !fits(row, call)) return false;
      tried.add(row);
      const holder = callOf.get(row);
      return (holder === undefined || serveCall(holder, tried)) && pair(row, call);
    });
  const serveRow = (row: ChangeSet, tried: Set<Release>): boolean =>
    calls.some((call) => {
      if (tried.has(call) || !fits(row, call)) return false;
      tried.add(call);
      const holder = rowOf.get(call);
      return (holder === undefined || serveRow(holder, tried)) && pair(row, call);
    });
  for (const call of calls)
    if (call.needsRow && !serveCall(call, new Set()))
      problems.add('lost', `The acknowledged release of ${describe(call)} is not there.`);
  for (const row of rows)
    if (!callOf.has(row) && !serveRow(row, new Set()))
      problems.add('torn', `Nobody asked for revision ${row.revision}: ${JSON.stringify(row.changes)}.`);
}

/** The row releases what the call names; all of it, but for leases that may have been lost. */
function fits({ changes }: ChangeSet, { leases }: Release): boolean {
  const released = new Set(changes.map(({ key }) => JSON.stringify(key)));
  const named = new Set(leases.map(({ key }) => JSON.stringify(key)));
  return (
    changes.every(({ kind, key }) => kind === 'released' && named.has(JSON.stringify(key))) &&
    leases.every(({ key, long }) => !long || released.has(JSON.stringify(key)))
  );
}

function describe({ leases }: Release): string {
  return leases.map(({ key, token }) => `${JSON.stringify(key)} (${token})`).join(', ');
}
