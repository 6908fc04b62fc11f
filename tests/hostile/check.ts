// Runs one hostile snippet in a workspace of its own and tells everything that is wrong afterwards: a host object that
// changed, a secret that got out, a limit that was caught, a workspace that does not answer or has lost what it had.
import { inspect, isDeepStrictEqual } from 'node:util';
import { StatekError } from '../../src/base/error.ts';
import { Statek } from '../../src/kit/statek.ts';
import { futureRows, stepRows } from '../../src/workspace/rows.ts';
import type { Step } from '../../src/workspace/step.ts';
import type { Workspace } from '../../src/workspace/workspace.ts';
import { canaryState, changedCanaries } from './canaries.ts';
import type { Hostile } from './snippet.ts';
import { makeWorld, secret } from './world.ts';

/** Low, so that hundreds of endless programs end soon. */
export const hostileLimits = {
  softCpuMilliseconds: 60,
  hardCpuMilliseconds: 120,
  heapBytes: 16 * 2 ** 20,
  stackBytes: 128 * 1024,
  consoleBytes: 16 * 1024,
  valueBytes: 256 * 1024,
  futures: 20,
  slicesPerStep: 50,
};

/** For programs that must be stopped: most of them run until they are. */
const impatience = { softCpuMilliseconds: 30, hardCpuMilliseconds: 60 };

/** For programs that must succeed, however busy the machine is: nothing in them is endless. */
const patience = { softCpuMilliseconds: 20_000, hardCpuMilliseconds: 60_000 };

export function openHostileKit(): Promise<Statek> {
  return Statek.open({ store: 'memory:', limits: hostileLimits, liveWorkspaces: 4 });
}

const setUp = 'var committed = { count: 41, list: [1, 2, 3], call: () => 7 }; var untouched = "as it was"; 0';
const probe = '[committed.count, committed.list.length, committed.call(), service.add(20, 22), untouched]';
const probed = [41, 3, 7, 42, 'as it was'];
let numbered = 0;

export async function problemsOf(kit: Statek, given: string | Hostile): Promise<string[]> {
  const snippet: Hostile = typeof given === 'string' ? { code: given } : given;
  const world = makeWorld();
  const id = `hostile ${++numbered}`;
  const more = 'value' in snippet ? patience : snippet.ends === 'limit' ? impatience : {};
  const limits = { ...hostileLimits, ...more };
  const workspace = await kit.workspace(id, { vars: world.variables, limits });
  const problems: string[] = [];
  const before = await succeeded(workspace, setUp, problems);
  if (before === undefined) return problems;
  const variables = Object.keys(await workspace.locals());
  const canaries = canaryState();
  const internals = structuredClone(world.internals());

  const step = await ('value' in snippet ? succeeded : answered)(workspace, snippet.code, problems);
  if (step !== undefined) {
    if (!endsAs(step, snippet.ends ?? 'any')) problems.push(`It ended as ${told(step)}.`);
    if ('value' in snippet && !isDeepStrictEqual(step.value, snippet.value))
      problems.push(`Its value is ${JSON.stringify(step.value)}.`);
    if (step.error?.code === 'LIMIT') {
      if (step.console.length > 0) problems.push('A slice that was dropped left lines on the console.');
      if (!isDeepStrictEqual(Object.keys(await workspace.locals()), variables))
        problems.push('A slice that was dropped left variables.');
    }
  }
  problems.push(...changedCanaries(canaries).map((name) => `${name} of the host changed.`));
  if (!isDeepStrictEqual(structuredClone(world.internals()), internals)) problems.push('Something hidden changed.');
  if ((await stored(kit, id)).includes(secret)) problems.push('The secret got out.');
  problems.push(...(await afterwards(workspace, step, before, snippet)));
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

/** On a busy machine the low limits may stop even what must succeed; the slice is undone then, and is run again. */
async function succeeded(workspace: Workspace, code: string, problems: string[]): Promise<Step | undefined> {
  let step = await answered(workspace, code, problems);
  for (let tries = 1; tries < 20 && step?.error?.code === 'LIMIT'; tries++)
    step = await answered(workspace, code, problems);
  return step;
}

async function afterwards(
  workspace: Workspace,
  step: Step | undefined,
  before: Step,
  { spoilsItself }: Hostile,
): Promise<string[]> {
  const problems: string[] = [];
  if (spoilsItself === true || step?.status === 'suspended') {
    if (step?.status !== 'suspended') await answered(workspace, probe, problems);
    if (before.commit !== undefined) await workspace.rollback(before.commit);
  }
  const next = await succeeded(workspace, probe, problems);
  if (next !== undefined && !isDeepStrictEqual(next.value, probed)) problems.push(`The next step: ${told(next)}.`);
  return problems;
}

function endsAs(step: Step, ends: Hostile['ends'] & string): boolean {
  switch (ends) {
    case 'any':
      return step.status === 'done' || step.status === 'failed';
    case 'limit':
      return step.error?.code === 'LIMIT';
    case 'stopped':
      return (
        step.status === 'failed' &&
        (step.error?.code === 'LIMIT' || /Internal|Range|Syntax/.test(step.error?.name ?? ''))
      );
    default:
      return step.status === ends;
  }
}

function told({ status, error, value }: Step): string {
  if (error !== undefined) return `${status} (${error.code ?? ''} ${error.name}: ${error.message.slice(0, 300)})`;
  return `${status} (${inspect(value, { depth: 3 }).slice(0, 300)})`;
}

/** All that a person or a model could read of what the program did. */
async function stored({ store }: Statek, id: string): Promise<string> {
  const steps = await store.scan(stepRows, { prefix: [id] });
  const futures = await store.scan(futureRows, { prefix: [id] });
  const workspace = steps.entries.map(({ value }) => ({ ...value, source: '' }));
  return JSON.stringify([workspace, futures.entries.map(({ value }) => value)]);
}
