// One of the processes that run the bank's workspaces, killed at random. It is told which workspace to bring how far, does
// so through one or more steps, and says when what it did is durable.
import { Statek, type Step, type Workspace } from '../../src/index.ts';
import { WorkspaceTakenError } from '../../src/workspace/errors.ts';
import { objectCollections } from '../../src/objects/rows.ts';
import type { PlaceDescription } from '../crash/place.ts';
import { Random } from '../crash/random.ts';
import { withCommit } from '../workspace/support/stores.ts';
import { Bank, bankClasses } from './accounts.ts';
import { openBankStore } from './place.ts';
import { brokenStep, program } from './program.ts';
import { saveCompiledModules } from '../support/compiled.ts';

saveCompiledModules();

/** Bring this workspace so far that transfers up to a number are used up. */
export interface Task {
  readonly workspace: string;
  readonly seed: number;
  readonly upTo: number;
}

export type ChildMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'done'; readonly workspace: string; readonly next: number; readonly done: number }
  | { readonly kind: 'undone'; readonly workspace: string; readonly why: string }
  /** Counts since the last one: slices that ran again, and steps that were undone as a whole. */
  | { readonly kind: 'counted'; readonly retries: number; readonly undoneSteps: number };

const [placeText = '', seedText = '0'] = process.argv.slice(2);
const random = new Random(Number(seedText));
const counted = { retries: 0, undoneSteps: 0 };
const objectNames: ReadonlySet<string> = new Set(objectCollections.map(({ name }) => name));

const store = withCommit(await openBankStore(JSON.parse(placeText) as PlaceDescription), async (given, commit) => {
  const results = await commit(given);
  for (const result of results)
    if (result.status === 'conflict' && objectNames.has(result.conflict.collection)) counted.retries++;
  return results;
});
const kit = await Statek.open({ store, classes: bankClasses, leaseMilliseconds: 2000 });
const bank = await kit.transaction(() => new Bank());
process.on('message', (task: Task) => {
  void work(task).catch((error: unknown) => {
    tell({ kind: 'undone', workspace: task.workspace, why: error instanceof Error ? error.message : String(error) });
  });
});
// The one who started this is gone.
process.once('disconnect', () => process.exit());
tell({ kind: 'ready' });

async function work({ workspace: name, seed, upTo }: Task): Promise<void> {
  const workspace = await kit.workspace(name, { vars: { bank } });
  if ((await workspace.commits({ limit: 3 })).length < 3) await workspace.run(program(name, seed));
  // What an earlier process left waiting is brought to its end first.
  await settle(workspace);
  if (random.chance(0.2)) {
    const step = await workspace.run(brokenStep, { allOrNothing: true });
    if (step.error?.message === 'Broken off midway.') counted.undoneSteps++;
    else throw new Error(`The broken step ended as ${step.status}: ${step.error?.message ?? ''}`);
  }
  await workspace.run(`await work(${upTo})`);
  const { value, error } = await settle(workspace);
  tell({ kind: 'counted', ...counted });
  Object.assign(counted, { retries: 0, undoneSteps: 0 });
  if (error !== undefined) throw new Error(error.message);
  const [next, done] = value as [number, number];
  tell({ kind: 'done', workspace: name, next, done });
}

/** Lets the workspace's steps end, and sends the signals they wait for; returns the last one. */
async function settle(workspace: Workspace): Promise<Step> {
  const sent = new Set<string>();
  const settled = untilSettled(workspace);
  for (;;) {
    const step = await Promise.race([settled, pass(random.between(5, 40))]);
    if (step !== undefined) return step;
    for (const { id, signal } of await workspace.waiting()) {
      if (signal === undefined || sent.has(id)) continue;
      sent.add(id);
      await kit.signal(signal, signal.slice('go '.length));
    }
  }
}

/** A process that died holds a workspace for a while; whoever comes next waits for it. */
async function untilSettled(workspace: Workspace): Promise<Step> {
  for (;;) {
    try {
      return await workspace.settled();
    } catch (error) {
      if (!(error instanceof WorkspaceTakenError)) throw error;
    }
  }
}

// Waits are noticed by looking, now and then: when a program begins one is nobody's to say.
function pass(milliseconds: number): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(undefined), milliseconds);
  });
}

function tell(message: ChildMessage): void {
  process.send?.(message);
}
