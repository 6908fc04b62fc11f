// Compares leases: each token once, no item with two holders, and whoever was told that they hold an item still does.
import type { Store } from '../../src/store/store.ts';
import type { Journal, JournalEntry, JournalLease } from './journal.ts';
import { mayHaveHappened } from './match.ts';
import type { Model } from './model.ts';
import type { Problems } from './problem.ts';
import { toLease } from './transactions.ts';

/** What became of a lease by its holder's own doing. */
type Ending = 'none' | 'perhaps' | 'ended';

export async function compareLeases(
  store: Store,
  model: Model,
  journals: readonly Journal[],
  problems: Problems,
): Promise<void> {
  const entries = journals.flatMap((journal) => journal.entries);
  const endings = endingsOf(entries, problems);
  const ending = ({ token }: JournalLease): Ending => endings.get(token) ?? 'none';
  const last: JournalLease[] = [];
  for (const leases of claimsByItem(entries, model, problems).values()) {
    for (const [index, lease] of leases.entries()) {
      const next = leases[index + 1];
      if (next === undefined) last.push(lease);
      else if (ending(lease) === 'none')
        problems.add('twice', `${describe(lease)} was held and claimed again with token ${next.token}.`);
    }
  }
  const results = await store.renew(last.map(toLease), 86_400_000);
  model.held.clear();
  for (const [index, lease] of last.entries()) {
    const renewed = results[index]?.status === 'renewed';
    if (renewed && ending(lease) === 'ended') problems.add('lost', `${describe(lease)} was ended and is held.`);
    if (!renewed && ending(lease) === 'none') problems.add('lost', `${describe(lease)} is not held any more.`);
    if (renewed) model.held.set(JSON.stringify(lease.key), lease);
  }
}

/** The long leases of each item in the order of their tokens, those still held from before first. */
function claimsByItem(entries: readonly JournalEntry[], model: Model, problems: Problems): Map<string, JournalLease[]> {
  const items = new Map([...model.held].map(([item, lease]) => [item, [lease]]));
  for (const { answer } of entries) {
    if (answer?.verb !== 'claim') continue;
    for (const { revision, lease } of answer.claims) {
      if (model.tokens.has(lease.token)) problems.add('twice', `The token of ${describe(lease)} was given before.`);
      model.tokens.add(lease.token);
      if (!model.wasPut(lease.key, revision))
        problems.add('lost', `${describe(lease)} shows the item at revision ${revision}, which is not there.`);
      if (!lease.long) continue;
      const item = JSON.stringify(lease.key);
      items.set(
        item,
        [...(items.get(item) ?? []), lease].toSorted((a, b) => a.token - b.token),
      );
    }
  }
  return items;
}

function endingsOf(entries: readonly JournalEntry[], problems: Problems): Map<number, Ending> {
  const endings = new Map<number, Ending>();
  for (const entry of entries) {
    const { call, answer } = entry;
    if (call.verb === 'release' && mayHaveHappened(entry))
      for (const { token } of call.leases) endings.set(token, answer === undefined ? 'perhaps' : 'ended');
    if (
      call.verb === 'renew' &&
      answer?.verb === 'renew' &&
      call.leases.some(({ long }, i) => long && !answer.renewed[i])
    )
      problems.add('lost', `A lease that cannot run out was not renewed: ${JSON.stringify(call.leases)}.`);
    if (call.verb !== 'commit' || !mayHaveHappened(entry)) continue;
    for (const [index, { name, lease, writes }] of call.transactions.entries()) {
      if (lease === undefined) continue;
      const revision = answer?.verb === 'commit' ? answer.revisions[index] : undefined;
      if (revision === null && lease.long)
        problems.add('lost', `Transaction ${name} was refused although it holds ${describe(lease)}.`);
      const removes = writes.some(({ kind, key }) => kind === 'remove' && String(key) === String(lease.key));
      if (revision !== null && (removes || lease.afterwards === 'release'))
        endings.set(lease.token, revision === undefined ? 'perhaps' : 'ended');
    }
  }
  return endings;
}

function describe({ key, token, owner }: JournalLease): string {
  return `The lease ${token} of ${owner} on ${JSON.stringify(key)}`;
}
