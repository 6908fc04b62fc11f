// Garbage collection of durable objects. Reads the graph at one revision; unreachable objects are condemned, and removed
// by a later run if they are still unreachable. docs/decisions/0061 explains why that is safe.
import { systemClock, type Clock } from '../../base/clock.ts';
import { refuseUnknownOptions, wholeNumberOption, type OptionNames } from '../../base/options.ts';
import type { Check, Collection, Key, Revision, Store, Transaction, Write } from '../../store/door.ts';
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
  /** Ids (from `idOf`) of objects to keep besides singletons, pinned and tagged objects and everything reachable from them. */
  readonly roots?: RootSource | undefined;
  /**
   * The collections that a `roots` function reads. If they change before a removal, the function is called again. Without
   * this option it is called before each removal, and changes are not checked.
   */
  readonly rootsIn?: readonly Collection[] | undefined;
  /** How long an unreachable object stays, for code that holds it in a variable; default: an hour. 0 waits for nobody. */
  readonly graceMilliseconds?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly onProgress?: ((progress: CollectProgress) => void) | undefined;
  /** Stops between two steps; the work done so far is valid. */
  readonly signal?: AbortSignal | undefined;
}

/** Every object that existed at `revision` is live, condemned, removed, deferred, or was removed by another process. */
export interface CollectReport {
  readonly revision: Revision;
  readonly live: number;
  /** Unreachable, within the grace period. */
  readonly condemned: number;
  /** Condemned earlier, but reachable again. */
  readonly pardoned: number;
  readonly removed: number;
  /** Due for removal, but not removed because of concurrent writes or corruption. */
  readonly deferred: number;
  readonly removedRows: number;
  /** Index entries removed because their object or index is gone. */
  readonly removedIndexEntries: number;
  /** Strong references of live objects to missing objects. */
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
  /** Orphaned rows and corruption. Nothing is removed while anything is corrupt. */
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
  await objects.plainWrites.settle();
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

  // Objects reachable from one in its grace period are kept too, because the same variable holds them.
  await graph.keep(verdict.waiting, pace);
  const due = verdict.due.filter((number) => !graph.isKept(number));
  const catchUp = new CatchUp(store, graph, roots, revision, pace);
  const removed: Removed = read.isDamaged
    ? { objects: 0, rows: 0, indexEntries: 0 }
    : await removeObjects({ store, read, condemned, roots, catchUp, pace, isReadonly }, due);
  // Objects written during this run are in use; their grace period starts over.
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
  /** Unreachable, within the grace period. */
  readonly waiting: number[];
  /** Unreachable, and the grace period is over. */
  readonly due: number[];
  readonly writes: Write[];
}

interface JudgeOptions {
  readonly revision: Revision;
  readonly now: number;
  readonly grace: number;
  readonly pace: Pace;
  isReadonly(space: string): boolean;
}

/** Decides about every object, after all reachable ones were marked. */
async function judge(
  { graph, touched }: ReadObjects,
  condemned: ReadonlyMap<string, CondemnedRecord>,
  { revision, now, grace, isReadonly, pace }: JudgeOptions,
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
    // A clock that was set back must not extend the grace period.
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
  isReadonly: JudgeOptions['isReadonly'],
): Promise<void> {
  const transactions: Transaction[] = [];
  for (const { key, revision } of emptyRoots) {
    const [space, kind, name] = key.map(String) as [string, string, string];
    if (isReadonly(space)) continue;
    const writes: Write[] = [{ kind: 'remove', collection: rootRows, key }];
    // A new object may have the name by now.
    const checks: Check[] = [{ kind: 'revision', collection: rootRows, key, revision }];
    if (kind === 'singleton') {
      // Counted as removed, so that the next singleton gets a new id.
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
