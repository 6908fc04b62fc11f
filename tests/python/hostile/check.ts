// Runs one hostile snippet of Python after the other in one workspace and tells everything that is wrong afterwards, as the tests of
// the other language do.
import { inspect, isDeepStrictEqual } from 'node:util';
import { StatekError } from '../../../src/base/error.ts';
import { Statek } from '../../../src/kit/statek.ts';
import { futureRows, stepRows } from '../../../src/workspace/rows.ts';
import type { Step } from '../../../src/workspace/step.ts';
import type { Workspace } from '../../../src/workspace/workspace.ts';
import { canaryState, changedCanaries } from '../../hostile/canaries.ts';
import { hostileLimits } from '../../hostile/check.ts';
import type { Hostile } from '../../hostile/snippet.ts';
import { makeWorld, secret, type World } from '../../hostile/world.ts';

const setUp = 'committed = {"count": 41, "items": [1, 2, 3], "call": lambda: 7}\nuntouched = "as it was"\n0';
const probe =
  '[committed["count"], len(committed["items"]), committed["call"](), service.add(20, 22), untouched, left]';
const probed = [41, 3, 7, 42, 'as it was'];
/** What a snippet leaves, the next one does not find. */
const tidy = 'left = [name for name in globals() if name not in kept_names]\nfor name in left: del globals()[name]';

const patience = { softCpuMilliseconds: 10_000, hardCpuMilliseconds: 10_000 };

/** A workspace that was set up, the objects in it, and where to go back to. */
export interface Attacked {
  readonly kit: Statek;
  readonly workspace: Workspace;
  readonly world: World;
  readonly before: string;
}

export async function openAttacked(): Promise<Attacked> {
  const kit = await Statek.open({ store: 'memory:', limits: hostileLimits, liveWorkspaces: 4 });
  // Code that runs for the first time in a process is compiled while it runs, and the limits are low.
  await (
    await kit.workspace('warming up', { language: 'python', limits: patience })
  ).run('[str(n) for n in range(10)]');
  const world = makeWorld();
  const workspace = await kit.workspace('hostile', { language: 'python', vars: world.variables });
  await workspace.run(setUp);
  const { commit = '' } = await workspace.run('kept_names = {"kept_names", "name", "left", *globals()}\n0');
  return { kit, workspace, world, before: commit };
}

export async function problemsOf(attacked: Attacked, given: string | Hostile): Promise<string[]> {
  const snippet: Hostile = typeof given === 'string' ? { code: given } : given;
  const { kit, workspace, world } = attacked;
  const canaries = canaryState();
  const internals = structuredClone(world.internals());

  const problems: string[] = [];
  const step =
    'value' in snippet
      ? await succeeded(attacked, snippet.code, problems)
      : await answered(workspace, snippet.code, problems);
  if (step !== undefined) {
    if (!endsAs(step, snippet.ends ?? 'any')) problems.push(`It ended as ${told(step)}.`);
    if ('value' in snippet && !isDeepStrictEqual(step.value, snippet.value))
      problems.push(`Its value is ${told(step)}.`);
    if (step.error?.code === 'LIMIT' && step.console.length > 0)
      problems.push('A slice that was dropped left lines on the console.');
  }
  problems.push(...changedCanaries(canaries).map((name) => `${name} of the host changed.`));
  if (!isDeepStrictEqual(structuredClone(world.internals()), internals)) problems.push('Something hidden changed.');
  if ((await stored(kit, step?.number ?? 0)).includes(secret)) problems.push('The secret got out.');
  problems.push(...(await afterwards(attacked, step, snippet)));
  return problems;
}

/** Whatever guest code does, the step is answered; only its own end may be bad. */
async function answered(workspace: Workspace, code: string, problems: string[]): Promise<Step | undefined> {
  try {
    return await workspace.run(code);
  } catch (error) {
    problems.push(`The step was not answered: ${error instanceof StatekError ? `${error.code} ` : ''}${String(error)}`);
    return undefined;
  }
}

/** On a busy machine the low limits may stop even what must succeed; the slice is undone then, and may take its time the next time. */
async function succeeded({ kit, workspace }: Attacked, code: string, problems: string[]): Promise<Step | undefined> {
  const step = await answered(workspace, code, problems);
  if (step?.error?.code !== 'LIMIT') return step;
  await kit.workspace('hostile', { limits: patience });
  const again = await answered(workspace, code, problems);
  await kit.workspace('hostile', { limits: hostileLimits });
  return again;
}

async function afterwards(attacked: Attacked, step: Step | undefined, { spoilsItself }: Hostile): Promise<string[]> {
  const { workspace, before } = attacked;
  const problems: string[] = [];
  if (spoilsItself === true || step?.status === 'suspended') {
    if (step?.status !== 'suspended') await answered(workspace, probe, problems);
    await workspace.rollback(before);
  }
  const next = await succeeded(attacked, `${tidy}\n${probe}`, problems);
  if (next === undefined) return problems;
  const [left, ...found] = Array.isArray(next.value) ? (next.value as unknown[]).toReversed() : [];
  if (!isDeepStrictEqual(found.toReversed(), probed)) problems.push(`The next step: ${told(next)}.`);
  if (step?.error?.code === 'LIMIT' && !isDeepStrictEqual(left, []))
    problems.push(`A slice that was dropped left ${String(left)}.`);
  return problems;
}

const aboutMemoryOrDepth = /^(MemoryError|RecursionError|OverflowError|SyntaxError|error|ParseError|PatternError)$/;

function endsAs(step: Step, ends: Hostile['ends'] & string): boolean {
  switch (ends) {
    case 'any':
      return step.status === 'done' || step.status === 'failed';
    case 'limit':
      return step.error?.code === 'LIMIT';
    case 'stopped':
      return (
        step.status === 'failed' && (step.error?.code === 'LIMIT' || aboutMemoryOrDepth.test(step.error?.name ?? ''))
      );
    default:
      return step.status === ends;
  }
}

function told({ status, error, value }: Step): string {
  if (error !== undefined) return `${status} (${error.code ?? ''} ${error.name}: ${error.message.slice(0, 300)})`;
  return `${status} (${inspect(value, { depth: 3 }).slice(0, 300)})`;
}

/** All that a person or a model could read of what the step did. */
async function stored({ store }: Statek, number: number): Promise<string> {
  const [step] = await store.read(stepRows, [['hostile', number]]);
  const futures = await store.scan(futureRows, { prefix: ['hostile'] });
  return JSON.stringify([{ ...step?.value, source: '' }, futures.entries.map(({ value }) => value)]);
}
