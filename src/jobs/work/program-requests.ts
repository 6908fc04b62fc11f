// What programs ask of the jobs layer: children, subtasks, and the end of the job.
import { InvalidOptionError } from '../../base/options.ts';
import type { Check, TransactionPart, Write } from '../../store/door.ts';
import {
  errorMessage,
  settledFuture,
  type CommittingSlice,
  type FutureRow,
  type Requested,
  type WireMessage,
} from '../../workspace/door.ts';
import type { JobEvent } from '../changes/job-changes.ts';
import type { SubtaskState } from '../driver.ts';
import type { PlannedChange } from '../changes/ending.ts';
import { JobStateError } from '../errors.ts';
import { canReopen, delivery } from '../changes/inbox.ts';
import type { JobOptions } from '../changes/new-job.ts';
import { jobRows, type RoleRow, type JobRow, type JobUpdate } from '../rows.ts';
import { submission } from '../changes/submit.ts';
import type { JobSystem } from '../system.ts';

type Parameters = Readonly<Record<string, unknown>>;

/** A request of guest code, checked while the program can still be told what is wrong with it. */
export function requestOf(system: JobSystem, kind: string, parameters: Parameters): Requested | undefined {
  const encoded = (): WireMessage => system.shared.encode(crossing(parameters), 'What is handed over');
  switch (kind) {
    case 'child':
      checkChild(system, parameters);
      return { kind, label: `job of '${String(parameters['role'])}'`, request: encoded() };
    case 'subtask': {
      const { action } = parameters;
      if (action === 'start') checkChild(system, parameters);
      else if (action !== 'find' && action !== 'complete' && action !== 'say') return undefined;
      return { kind, label: `subtask (${action})`, request: encoded() };
    }
    case 'end':
      return { kind, label: 'end of the job', request: encoded(), ends: true };
    default:
      return undefined;
  }
}

function checkChild(system: JobSystem, parameters: Parameters): void {
  system.role(String(parameters['role']));
  submission(system, String(parameters['role']), optionsOf(system, parameters, 'check'), 'delegate');
}

/** A plain object with functions in it would cross as an object of the application; a map does not. */
function crossing(parameters: Parameters): Parameters {
  const { options } = parameters as { options?: { vars?: unknown } | null };
  if (typeof options !== 'object' || options === null) return parameters;
  const { vars } = options;
  if (typeof vars !== 'object' || vars === null) return parameters;
  return { ...parameters, options: { ...options, vars: new Map(Object.entries(vars)) } };
}

function optionsOf(system: JobSystem, { role, options }: Parameters, id: string, parent?: JobRow): JobOptions {
  const driver = system.role(String(role));
  // What the parent passes on is for drivers that know further options; others have an input of their own.
  const inherited = driver.options && parent && system.drivers.get(parent.role)?.inputForChildren?.(parent.state);
  if (options === undefined || options === null) return inherited === undefined ? { id } : { id, input: inherited };
  if (typeof options !== 'object')
    throw new InvalidOptionError('delegate(role, options): the options are an object.', { name: 'options' });
  const { timeout: _timeout, vars, ...others } = options as JobOptions & { timeout?: unknown };
  // Programs reach only what they were given: a workspace is named by the application alone.
  if ('workspace' in others)
    throw new InvalidOptionError('delegate(role, options): a job that a program starts has a workspace of its own.', {
      name: 'workspace',
    });
  return {
    ...optionsForRole(driver, others, inherited),
    ...(vars === undefined
      ? {}
      : { vars: vars instanceof Map ? Object.fromEntries(vars as Map<string, unknown>) : vars }),
    id,
  };
}

/** Options that only the driver of a role knows go into its input. */
export function optionsForRole(
  { options: known }: RoleRow,
  { input, ...others }: JobOptions,
  inherited?: Readonly<Record<string, unknown>>,
): JobOptions {
  if (known === undefined) return { ...others, input };
  const isOwn = (name: string): boolean => known.includes(name);
  const own = Object.fromEntries(Object.entries(others).filter(([name]) => isOwn(name)));
  const rest = Object.fromEntries(Object.entries(others).filter(([name]) => !isOwn(name)));
  return { ...rest, input: { ...inherited, ...own, ...(input === undefined ? {} : { input }) } };
}

/** The jobs that a slice starts, and answers to what it asked of other jobs. */
export async function startedJobs(
  system: JobSystem,
  row: JobRow,
  { futures }: CommittingSlice,
): Promise<PlannedChange> {
  const checks: Check[] = [];
  const writes: Write[] = [];
  const events: JobEvent[] = [];
  /** Children that were said something in this slice already. */
  const talking = new Set<string>();
  let hasChildren: true | undefined;
  let answered: true | undefined;
  for (const future of futures) {
    if (future.kind !== 'child' && future.kind !== 'subtask') continue;
    const parameters = system.shared.decode(future.request) as Parameters;
    const action = future.kind === 'child' ? 'child' : String(parameters['action']);
    if (action === 'child' || action === 'start') {
      const id = `${row.id}.${future.number}`;
      const made = submission(
        system,
        String(parameters['role']),
        // A subtask is not waited for, and may outlive the one who started it.
        {
          ...(action === 'start' ? { whenParentEnds: 'keep' as const } : {}),
          ...optionsOf(system, parameters, id, row),
        },
        'delegate',
        {
          parent:
            action === 'child'
              ? {
                  job: row.id,
                  future: future.number,
                  ...(row.workspace === undefined ? {} : { workspace: row.workspace }),
                  ...(parameters['dialog'] === true ? { dialog: true as const } : {}),
                }
              : { job: row.id },
        },
      );
      checks.push(...made.checks);
      writes.push(...made.writes);
      events.push({ kind: 'call', data: { child: id } });
      hasChildren = true;
      if (action === 'start') writes.push(...settled(system, future, { id, state: 'READY' }));
    } else if (action === 'find') {
      const id = String(parameters['id']);
      const [entry] = await system.store.read(jobRows, [[id]]);
      const isOwn = entry?.value.parent?.job === row.id;
      writes.push(...settled(system, future, isOwn ? subtaskState(system, entry.value) : undefined));
    } else if (action === 'say') {
      const said = await saidTo(system, row, future, parameters, talking);
      checks.push(...said.checks);
      writes.push(...said.writes);
    } else {
      if (row.parent !== undefined && row.parent.future === undefined && row.answered !== true) {
        const body = { id: row.id, state: row.status, result: parameters['value'] };
        const told = await delivery(system, row.parent.job, {
          kind: 'notice',
          from: row.id,
          body: system.shared.encode(body, 'The answer of a subtask'),
        });
        checks.push(...told.checks);
        writes.push(...told.writes);
        answered = true;
      }
      writes.push(...settled(system, future, undefined));
    }
  }
  const change: JobUpdate = {
    ...(hasChildren === undefined ? {} : { hasChildren }),
    ...(answered === undefined ? {} : { answered }),
  };
  return { change, events, also: { checks, writes } };
}

/** Says something to a child that has answered, and waits for its next answer. */
async function saidTo(
  system: JobSystem,
  row: JobRow,
  future: FutureRow,
  parameters: Parameters,
  talking: Set<string>,
): Promise<TransactionPart> {
  const id = String(parameters['id']);
  const known = await system.read(id);
  const parent = known?.row.parent;
  const refused = (message: string): TransactionPart => {
    const outcome = { failed: true, value: errorMessage(new JobStateError(message, { id })) };
    return { checks: [], writes: settledFuture(future, outcome, system.clock.now()) };
  };
  if (known === undefined || parent?.job !== row.id || parent.dialog !== true)
    return refused(`There is no conversation with '${id}'.`);
  if (talking.has(id) || !(await canReopen(system, known.row)))
    return refused(
      known.row.status === 'DONE' && !talking.has(id)
        ? `The conversation with '${id}' is over (${known.row.outcome}).`
        : `'${id}' has not answered yet what was said before.`,
    );
  talking.add(id);
  const body = system.shared.encode(parameters['message'], 'What is said');
  return delivery(system, id, { kind: 'message', body }, { parent: { ...parent, future: future.number } });
}

function subtaskState(system: JobSystem, row: JobRow): SubtaskState {
  return {
    id: row.id,
    state: row.status,
    ...(row.outcome === undefined ? {} : { outcome: row.outcome }),
    ...(row.result === undefined ? {} : { result: system.shared.decode(row.result) }),
    ...(row.error === undefined ? {} : { error: row.error.message }),
  };
}

/** The future is over as soon as it is asked for; the program hears of it in its next slice. */
function settled(system: JobSystem, future: FutureRow, value: unknown): Write[] {
  const outcome = { failed: false, value: system.shared.encode(value, 'The state of a subtask') };
  return settledFuture(future, outcome, system.clock.now());
}
