// Finds for each row of the change log the transaction that asked for it, and what is missing.
import type { ChangeSet } from '../../src/store/store.ts';
import { marks, work } from './collections.ts';
import type { Journal, JournalEntry, JournalTransaction } from './journal.ts';
import { matchReleases } from './match-releases.ts';
import type { Model } from './model.ts';
import type { Problems } from './problem.ts';

/** How many transactions there were, by what was known of them when the process died. */
export interface Matched {
  readonly acknowledged: number;
  readonly unacknowledgedThere: number;
  readonly unacknowledgedAbsent: number;
}

interface Asked {
  readonly transaction: JournalTransaction;
  readonly entry: JournalEntry;
  /** undefined: no answer; null: a conflict. */
  readonly answered: number | null | undefined;
  there: boolean;
}

export function matchChanges(
  sets: readonly ChangeSet[],
  model: Model,
  journals: readonly Journal[],
  problems: Problems,
): Matched {
  const entries = journals.flatMap((journal) => journal.entries);
  const asked = askedBy(entries);
  const unmarked: ChangeSet[] = [];
  for (const set of sets) {
    if (set.revision !== model.revision + 1)
      problems.add('lost', `After revision ${model.revision} the log goes on with ${set.revision}.`);
    const mark = set.changes.find(({ kind, collection }) => kind === 'put' && collection === marks.name);
    if (mark === undefined) {
      unmarked.push(set);
      model.pass(set.revision);
    } else matchTransaction(set, String(mark.key[0]), model, asked, problems);
  }
  for (const { transaction, answered, there } of asked.values())
    if (typeof answered === 'number' && !there)
      problems.add('lost', `Transaction ${transaction.name}, acknowledged at revision ${answered}, is not there.`);
  matchReleases(unmarked, entries.filter(mayHaveHappened), problems);
  for (const entry of entries) findTornBatch(entry, asked, problems);
  const unanswered = [...asked.values()].filter(({ answered }) => answered === undefined);
  return {
    acknowledged: asked.size - unanswered.length,
    unacknowledgedThere: unanswered.filter(({ there }) => there).length,
    unacknowledgedAbsent: unanswered.filter(({ there }) => !there).length,
  };
}

/** A call that was rejected wrote nothing, unless the error says that nobody knows. */
export function mayHaveHappened({ failure }: JournalEntry): boolean {
  return failure === undefined || failure.code === 'STORE_UNKNOWN_OUTCOME';
}

function askedBy(entries: readonly JournalEntry[]): Map<string, Asked> {
  const asked = new Map<string, Asked>();
  for (const entry of entries) {
    if (entry.call.verb !== 'commit') continue;
    for (const [index, transaction] of entry.call.transactions.entries()) {
      const answered = entry.answer?.verb === 'commit' ? entry.answer.revisions[index] : undefined;
      asked.set(transaction.name, { transaction, entry, answered, there: false });
    }
  }
  return asked;
}

function matchTransaction(
  { revision, changes }: ChangeSet,
  name: string,
  model: Model,
  asked: Map<string, Asked>,
  problems: Problems,
): void {
  const found = asked.get(name);
  if (found === undefined) {
    problems.add('wrong', `Revision ${revision} is transaction ${name}, which nobody asked for.`);
    model.pass(revision);
    return;
  }
  const { transaction, entry, answered } = found;
  if (found.there) problems.add('twice', `Transaction ${name} is there again at revision ${revision}.`);
  found.there = true;
  if (answered === null) problems.add('wrong', `Transaction ${name} had a conflict and is at revision ${revision}.`);
  else if (answered !== undefined && answered !== revision)
    problems.add('wrong', `Transaction ${name} was acknowledged at ${answered} and is at revision ${revision}.`);
  if (!mayHaveHappened(entry))
    problems.add('wrong', `Transaction ${name} was rejected with ${entry.failure?.code} and is there.`);
  const expected = transaction.writes.map(
    ({ kind, collection, key }) => `${kind} ${collection} ${JSON.stringify(key)}`,
  );
  if (transaction.lease?.afterwards === 'release')
    expected.push(`released ${work.name} ${JSON.stringify(transaction.lease.key)}`);
  const logged = changes.map(({ kind, collection, key }) => `${kind} ${collection} ${JSON.stringify(key)}`);
  if (expected.join('\n') !== logged.join('\n'))
    problems.add('torn', `Revision ${revision} logs of transaction ${name}: ${logged.join(', ')}.`);
  const broken = model.apply(revision, transaction);
  if (broken !== undefined) problems.add('wrong', `Transaction ${name}: ${broken}.`);
}

// What one call commits becomes durable together. Members with conditions may have been refused.
function findTornBatch({ call, answer }: JournalEntry, asked: Map<string, Asked>, problems: Problems): void {
  if (call.verb !== 'commit' || answer !== undefined) return;
  const unconditional = call.transactions.filter(({ checks, lease }) => checks.length === 0 && lease === undefined);
  const there = call.transactions.filter(({ name }) => asked.get(name)?.there);
  const missing = unconditional.filter(({ name }) => asked.get(name)?.there !== true);
  if (there.length > 0 && missing.length > 0)
    problems.add('torn', `Of one call ${there[0]?.name} is there and ${missing[0]?.name} is not.`);
}
