// Compares what the bank's accounts, the programs' variables and their consoles tell about the transfers, and looks at
// the accounts as they were at the store's revisions.
import type { Statek } from '../../src/index.ts';
import { Problems, type Problem } from '../crash/problem.ts';
import { Bank, firstBalance, total, transferOf } from './accounts.ts';

export interface Findings {
  readonly problems: readonly Problem[];
  /** Transfers that are done; numbers that were used up without one were refused or given back. */
  readonly transfers: number;
  readonly used: number;
  readonly brokenOff: number;
  readonly revisions: number;
  readonly revisionsChecked: number;
}

export interface Comparison {
  /** The first revision at which all accounts were there. */
  readonly from: number;
  readonly workspaces: readonly string[];
  readonly acknowledged: ReadonlyMap<string, { readonly next: number; readonly done: number }>;
  readonly mostRevisions: number;
  readonly progress: (done: number, words: string) => void;
}

interface AccountNow {
  readonly number: number;
  readonly balance: number;
  readonly reserved: number;
  readonly sent: readonly string[];
  readonly received: readonly string[];
}

const everything = { items: 100_000, text: 1000 };

export async function compareBank(kit: Statek, comparison: Comparison): Promise<Findings> {
  const problems = new Problems();
  const accounts = await kit.transaction(() =>
    new Bank().accounts.map(({ number, balance, reserved, sent, received }): AccountNow => {
      return { number, balance, reserved, sent: [...sent], received: [...received] };
    }),
  );
  const told: string[] = [];
  let [used, brokenOff] = [0, 0];
  for (const name of comparison.workspaces) {
    const workspace = await kit.workspace(name);
    const variables = await workspace.locals(everything);
    const done = variables['done'] as string[];
    const lines = await workspace.console();
    refuseUnlike(problems, `the variable and the console of ${name}`, done, lines);
    const heard = comparison.acknowledged.get(name);
    if (heard !== undefined && (Number(variables['next']) < heard.next || done.length < heard.done))
      problems.add('lost', `${name} was heard at ${heard.next} and is at ${String(variables['next'])}`);
    for (const wrong of variables['wrong'] as string[]) problems.add('wrong', `${name}: ${wrong}`);
    used += Number(variables['next']) - 1;
    brokenOff += (variables['brokenOff'] as string[]).length;
    told.push(...done);
  }
  const sent = accounts.flatMap((account) => account.sent);
  refuseUnlike(problems, 'the programs and what was sent', told, sent);
  const received = accounts.flatMap((account) => account.received);
  refuseUnlike(problems, 'what was sent and what was received', sent, received);
  for (const account of accounts) refuseWrongBalance(problems, account);
  const { revisions, revisionsChecked } = await lookBack(kit, comparison, problems);
  return { problems: problems.found, transfers: told.length, used, brokenOff, revisions, revisionsChecked };
}

/** Both must have the same ids, each once. */
function refuseUnlike(problems: Problems, what: string, first: readonly string[], second: readonly string[]): void {
  for (const ids of [first, second]) {
    const seen = new Set<string>();
    for (const id of ids) {
      if (seen.has(id)) problems.add('twice', `${what}: ${id}`);
      seen.add(id);
    }
  }
  for (const [some, others] of [
    [first, new Set(second)],
    [second, new Set(first)],
  ] as const)
    for (const id of some) if (!others.has(id)) problems.add('torn', `${what}: ${id} is in one of them only`);
}

/** What an account has follows from its transfers alone. */
function refuseWrongBalance(problems: Problems, { number, balance, reserved, sent, received }: AccountNow): void {
  let expected = firstBalance;
  for (const { from, amount } of sent.map(transferOf)) {
    if (from !== number) problems.add('wrong', `account ${number} sent for account ${from}`);
    expected -= amount;
  }
  for (const { to, amount } of received.map(transferOf)) {
    if (to !== number) problems.add('wrong', `account ${number} received for account ${to}`);
    expected += amount;
  }
  if (balance !== expected || reserved !== 0)
    problems.add('wrong', `account ${number} has ${balance} and ${reserved} reserved; its transfers make ${expected}`);
}

/** Money is neither made nor lost, nobody has less than nothing, and both lists grow together, at every moment. */
async function lookBack(
  kit: Statek,
  { from, mostRevisions, progress }: Comparison,
  problems: Problems,
): Promise<{ revisions: number; revisionsChecked: number }> {
  const last = await kit.store.revision();
  const revisions = last - from + 1;
  const stride = Math.max(1, revisions / mostRevisions);
  let revisionsChecked = 0;
  for (let place = from; place <= last; place += stride) {
    const revision = Math.floor(place);
    // The lists are four times as many objects; now and then is often enough for them.
    const withLists = revisionsChecked % 8 === 0;
    const then = await kit.at(revision, () => {
      let [sum, moved, least] = [0, 0, 0];
      for (const account of new Bank().accounts) {
        const { balance, reserved } = account;
        sum += balance + reserved;
        least = Math.min(least, balance, reserved);
        if (withLists) moved += account.sent.length - account.received.length;
      }
      return { sum, moved, least };
    });
    if (then.sum !== total || then.least < 0) problems.add('wrong', `revision ${revision}: ${JSON.stringify(then)}`);
    if (then.moved !== 0) problems.add('torn', `revision ${revision}: ${JSON.stringify(then)}`);
    revisionsChecked++;
    if (revisionsChecked % 100 === 0) progress(revision - from, `of ${revisions} revisions looked at`);
  }
  return { revisions, revisionsChecked };
}
