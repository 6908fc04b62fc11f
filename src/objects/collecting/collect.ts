// Collecting objects that nothing leads to any more. The graph is read as it was at one revision; what is unreachable
// there is condemned, and removed by a later run if it still is. docs/decisions/0061 tells why that is safe.
import { systemClock, type Clock } from '../../base/clock.ts';
import { refuseUnknownOptions, wholeNumberOption, type OptionNames } from '../../base/options.ts';
import type { Collection } from '../../store/collection.ts';
import type { Key } from '../../store/key.ts';
import type { Check, Revision, Store, Transaction, Write } from '../../store/store.ts';
import { CatchUp } from './catch-up.ts';
import { commitInTurns, condemn, condemnedRows, pardon, readCondemned, type CondemnedRecord } from './condemned.ts';
import { describeDangling, type DanglingReference } from './dangling.ts';
import type { Dangling } from './reachable.ts';
import { Pace, type CollectProgress } from './pace.ts';
import { readObjects, Sampler, type ReadObjects, type Sample } from './read-rows.ts';
import { removeObjects, type Removed } from './remove.ts';
import { ExtraRoots, type RootSource } from './roots.ts';
import { placeOf } from '../node.ts';
import type { ObjectGraph } from '../object-graph.ts';
import { indexRows, rootRows } from '../rows.ts';
import { removedKey } from '../singleton-creation.ts';

export interface CollectOptions {
  /** Objects to keep besides those found by name, pinned, tagged, or reached from there: ids as `idOf` gives them. */
  readonly roots?: RootSource | undefined;
  /**
   * The collections of the store that `roots`, a function, reads from. They must not change between asking and removing;
   * if they do, it is asked again. Without them it is asked before each removal, and nothing is checked.
   */
  readonly rootsIn?: readonly Collection[] | undefined;
  /** How long an unreachable object stays, for code that holds it in a variable; default: an hour. 0 waits for nobody. */
  readonly graceMilliseconds?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly onProgress?: ((progress: CollectProgress) => void) | undefined;
  /** Stops between two steps; what was done until then is right. */
  readonly signal?: AbortSignal | undefined;
}

/** Every object that was there at `revision` is live, condemned, removed, deferred, or was removed by somebody else. */
export interface CollectReport {
  readonly revision: Revision;
  readonly live: number;
  /** Unreachable, and given time. */
  readonly condemned: number;
  /** Condemned before, and in use again. */
  readonly pardoned: number;
  readonly removed: number;
  /** To be removed, but others wrote all the time, or something is damaged. */
  readonly deferred: number;
  readonly removedRows: number;
  /** Entries of indexes that went because their object or their index did, now or earlier. */
  readonly removedIndexEntries: number;
  /** Strong references of live objects to what is not there. */
  readonly danglingReferences: {
    readonly count: number;
    /** `from` is the id of the object or the name of a root, `type` its class, `path` the place in it, `to` the missing id. */
    readonly examples: readonly {
      readonly from: string;
      readonly type: string;
      readonly path: string;
      readonly to: string;
    }[];
  };
  /** Rows that belong to nothing, and damage. Nothing is removed while there is damage. */
  readonly problems: { readonly count: number; readonly examples: readonly string[] };
}

const objectsPerTurn = 50_000;
const anHour = 60 * 60 * 1000;
const aCentury = 100 * 366 * 24 * anHour;
const optionNames: OptionNames<CollectOptions> = {
  roots: true,
  rootsIn: true,
  graceMilliseconds: true,
  clock: true,
  onProgress: true,
  signal: true,
};

export async function collectObjects(objects: ObjectGraph, options: CollectOptions = {}): Promise<CollectReport> {
  refuseUnknownOptions('collectObjects', options, optionNames);
  const { clock = systemClock, signal, onProgress } = options;
  const grace = wholeNumberOption(
    'collectObjects',
    'graceMilliseconds',
    options.graceMilliseconds ?? anHour,
    0,
    aCentury,
  );
  const roots = new ExtraRoots(options.roots ?? [], options.rootsIn);
  const pace = new Pace(signal, onProgress);
  const { store } = objects;
  const isReadonly = (space: string): boolean => objects.spaces.isReadonly(space);

  await store.declare(condemnedRows);
  await objects.turns.settle();
  const revision = await store.revision();
  const condemned = await readCondemned(store, pace);
  const read = await readObjects(store, revision, condemned, pace);
  const { graph } = read;

  const dangling = new Sampler<Dangling>();
  const extra = (await roots.ids()).map((text) => graph.numberOf(text));
  await graph.keep([...read.roots, ...extra], pace, (found) => dangling.add(found));
  const verdict = await judge(read, condemned, { revision, now: clock.now(), grace, isReadonly, pace });
  const danglingReferences = await describeAll(store, revision, read, dangling);
  await commitInTurns(store, verdict.writes, pace);
  const emptyEntries = read.isDamaged ? [] : read.emptyEntries.filter(([space]) => !isReadonly(String(space)));
  await commitInTurns(store, emptyEntries.map(removeEntry), pace);
  if (!read.isDamaged) await removeEmptyRoots(store, read, isReadonly);

  // What leads on from an object that is given time is given time as well: it is held by the same variable.
  await graph.keep(verdict.waiting, pace);
  const due = verdict.due.filter((number) => !graph.isKept(number));
  const catchUp = new CatchUp(store, graph, roots, revision, pace);
  const removed: Removed = read.isDamaged
    ? { objects: 0, rows: 0, indexEntries: 0 }
    : await removeObjects({ store, read, condemned, roots, catchUp, pace, isReadonly }, due);
  // Whatever was touched while this ran is in somebody's hands, and gets its time anew.
  const touched = due.filter((number) => graph.isKept(number));
  const touchedTexts = touched.map((number) => graph.texts[number] as string).filter((text) => condemned.has(text));
  await commitInTurns(store, touchedTexts.map(pardon), pace);

  return {
    revision,
    live: verdict.live + touched.length,
    condemned: verdict.waiting.length + verdict.due.length - due.length,
    pardoned: verdict.pardoned + touchedTexts.length,
    removed: removed.objects,
    deferred: due.filter((number) => !graph.isKept(number) && !graph.isGone(number)).length,
    removedRows: removed.rows + emptyEntries.length,
    removedIndexEntries: removed.indexEntries + emptyEntries.length,
    danglingReferences,
    problems: { count: read.problems.count, examples: read.problems.examples },
  };
}

interface Verdict {
  live: number;
  pardoned: number;
  /** Unreachable, and their time is not over. */
  readonly waiting: number[];
  /** Unreachable, and their time is over. */
  readonly due: number[];
  readonly writes: Write[];
}

interface Circumstances {
  readonly revision: Revision;
  readonly now: number;
  readonly grace: number;
  readonly pace: Pace;
  isReadonly(space: string): boolean;
}

/** Decides on every object after everything reachable was kept. */
async function judge(
  { graph, touched }: ReadObjects,
  condemned: ReadonlyMap<string, CondemnedRecord>,
  { revision, now, grace, isReadonly, pace }: Circumstances,
): Promise<Verdict> {
  const verdict: Verdict = { live: 0, pardoned: 0, waiting: [], due: [], writes: [] };
  for (const text of condemned.keys()) {
    const number = graph.find(text);
    if (number !== undefined && graph.isThere(number) && !graph.isKept(number)) continue;
    if (number !== undefined && graph.isThere(number)) verdict.pardoned++;
    verdict.writes.push(pardon(text));
  }
  for (let number = 0; number < graph.size; number++) {
    if (number % objectsPerTurn === 0) await pace.step('mark', 0);
    if (!graph.isThere(number)) continue;
    const text = graph.texts[number] as string;
    if (graph.isKept(number) || isReadonly(placeOf(text).space)) {
      verdict.live++;
      continue;
    }
    const before = condemned.get(text);
    // A clock that was put back must not make an object wait for ever.
    const isNew = before === undefined || before.since > now || touched.has(number);
    if (grace === 0 || (!isNew && before.since <= now - grace)) {
      verdict.due.push(number);
      continue;
    }
    verdict.waiting.push(number);
    if (isNew) verdict.writes.push(condemn(text, { since: now, revision }));
  }
  return verdict;
}

function removeEntry(key: Key): Write {
  return { kind: 'remove', collection: indexRows, key };
}

async function removeEmptyRoots(
  store: Store,
  { emptyRoots }: ReadObjects,
  isReadonly: Circumstances['isReadonly'],
): Promise<void> {
  const transactions: Transaction[] = [];
  for (const { key, revision } of emptyRoots) {
    const [space, kind, name] = key.map(String) as [string, string, string];
    if (isReadonly(space)) continue;
    const writes: Write[] = [{ kind: 'remove', collection: rootRows, key }];
    // By now a new object may have the name.
    const checks: Check[] = [{ kind: 'revision', collection: rootRows, key, revision }];
    if (kind === 'singleton') {
      // As if it had been removed: the next one is another object.
      const removed = removedKey(space, name);
      const [count] = await store.read(rootRows, [removed]);
      writes.push({ kind: 'put', collection: rootRows, key: removed, value: Number(count?.value ?? 0) + 1 });
    }
    transactions.push({ checks, writes });
  }
  if (transactions.length > 0) await store.commit(transactions);
}

async function describeAll(
  store: Store,
  revision: Revision,
  { graph, emptyRoots }: ReadObjects,
  dangling: Sample<Dangling>,
): Promise<Sample<DanglingReference>> {
  const described = new Sampler<DanglingReference>();
  for (const { key, target } of emptyRoots)
    described.add({ from: key.slice(1).map(String).join(' '), type: 'root', path: '', to: target });
  for (const { from, to } of dangling.examples)
    described.add(await describeDangling(store, revision, graph.texts[from] as string, graph.texts[to] as string));
  return { count: emptyRoots.length + dangling.count, examples: described.examples };
}
