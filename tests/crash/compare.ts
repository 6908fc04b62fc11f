// The oracle: compares an opened store with the model and the journals of the loads that wrote to it.
//
// It checks that everything acknowledged is there; that each transaction is there whole or not at all, its log row with
// it; that nothing is there twice, or that nobody asked for; that every check held when its transaction was written; that
// revisions have no gaps; that old revisions read as they were; that leases are held by who was told so. It leaves out
// whether a conflict that was reported really existed.
import { StoreRevisionGoneError } from '../../src/store/errors.ts';
import { scanAll } from '../../src/store/scan-all.ts';
import type { ChangeSet, Store } from '../../src/store/store.ts';
import { everyCollection, isValueFor, twinCollections, twinKeys } from './collections.ts';
import type { Journal } from './journal.ts';
import { compareLeases } from './leases.ts';
import { matchChanges, type Matched } from './match.ts';
import type { Model } from './model.ts';
import { Problems, type Problem } from './problem.ts';
import type { Random } from './random.ts';

export interface Comparison extends Matched {
  readonly problems: readonly Problem[];
}

export async function compare(
  store: Store,
  model: Model,
  journals: readonly Journal[],
  random: Random,
): Promise<Comparison> {
  const problems = new Problems();
  for (const { wrong } of journals) for (const text of wrong) problems.add('wrong', text);
  const matched = matchChanges(await changesSince(store, model.revision), model, journals, problems);
  for (const collection of everyCollection) await compareEntries(store, model, collection, undefined, problems);
  await compareTwins(store, problems);
  await compareLeases(store, model, journals, problems);
  await comparePast(store, model, journals, random, problems);
  const { problems: damages } = await store.verify();
  for (const damage of damages) problems.add('wrong', `verify: ${damage}`);
  return { ...matched, problems: problems.found };
}

async function changesSince(store: Store, since: number): Promise<ChangeSet[]> {
  const head = await store.revision();
  const sets: ChangeSet[] = [];
  if (head <= since) return sets;
  for await (const set of store.follow({ since })) {
    sets.push(set);
    if (set.revision >= head) break;
  }
  return sets;
}

async function compareEntries(
  store: Store,
  model: Model,
  collection: (typeof everyCollection)[number],
  at: number | undefined,
  problems: Problems,
): Promise<void> {
  const expected = model.entries(collection.name, at);
  const when = at === undefined ? '' : ` at revision ${at}`;
  for await (const { key, value, revision } of scanAll(store, collection, {}, { at })) {
    const name = JSON.stringify(key);
    const where = `${collection.name} ${name}${when}`;
    const standing = expected.get(name);
    expected.delete(name);
    if (standing === undefined) problems.add('wrong', `${where} is there and should not be.`);
    else if (standing.revision !== revision)
      problems.add('wrong', `${where} is of revision ${revision}, not ${standing.revision}.`);
    else if (!isValueFor(collection, key, standing.transaction, value))
      problems.add('torn', `${where} is not what transaction ${standing.transaction} wrote.`);
  }
  for (const [name, { revision }] of expected)
    problems.add('lost', `${collection.name} ${name}${when}, written at revision ${revision}, is not there.`);
}

// Needs neither model nor log: these entries are only ever written together.
async function compareTwins(store: Store, problems: Problems): Promise<void> {
  const all = await Promise.all(twinCollections.map((collection) => store.read(collection, twinKeys)));
  for (const [index, key] of twinKeys.entries()) {
    const revisions = new Set(all.map((entries) => entries[index]?.revision));
    if (revisions.size > 1)
      problems.add('torn', `The twins ${JSON.stringify(key)} have the revisions ${[...revisions].join(', ')}.`);
  }
}

async function comparePast(
  store: Store,
  model: Model,
  journals: readonly Journal[],
  random: Random,
  problems: Problems,
): Promise<void> {
  for (const { call, answer } of journals.flatMap(({ entries }) => entries)) {
    if (call.verb === 'prune') model.mostHorizon = Math.max(model.mostHorizon, call.before);
    if (answer?.verb === 'prune') model.leastHorizon = Math.max(model.leastHorizon, answer.horizon);
  }
  const horizon = await store.prune(0);
  if (horizon < model.leastHorizon || horizon > model.mostHorizon) {
    const expected = `${model.leastHorizon} to ${model.mostHorizon}`;
    problems.add('wrong', `The horizon is ${horizon}, not within ${expected}.`);
  }
  for (let sample = 0; sample < 3; sample++) {
    const at = random.between(horizon, model.revision);
    for (const collection of everyCollection)
      if (collection.keeps === 'versions') await compareEntries(store, model, collection, at, problems);
  }
  if (horizon > 0) {
    const changes = store.follow({ since: horizon - 1 })[Symbol.asyncIterator]();
    const outcome = await changes.next().catch((error: unknown) => error);
    if (!(outcome instanceof StoreRevisionGoneError))
      problems.add('wrong', `Changes before the horizon ${horizon} can be followed.`);
  }
  model.forget(horizon);
}
