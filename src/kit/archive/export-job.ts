// A job as one file: its program with all its commits, its conversation, calls and events, and the durable objects it holds. For
// looking at elsewhere, and, with its secrets, for going on elsewhere.
import { chatRows, definitionRows } from '../../agents/door.ts';
import { packageVersion } from '../../base/package.ts';
import type { Redactor } from '../../base/redact.ts';
import { chainRows } from '../../history/door.ts';
import {
  jobCallRows,
  jobEventRows,
  jobInboxRows,
  jobPastRows,
  jobRows,
  JobStateError,
  type JobRow,
} from '../../jobs/door.ts';
import { objectRows } from '../../objects/door.ts';
import { scanAll, writeArchive, type ArchivedRow, type Collection, type Key, type Store } from '../../store/door.ts';
import {
  consoleRows,
  futureRows,
  heldRows,
  largeTextRows,
  metadataOf,
  NotFoundError,
  stepRows,
  workspaceRows,
  type WorkspaceRow,
} from '../../workspace/door.ts';

/** How a job is exported. */
export interface ExportOptions {
  /** With what keeps its handles from being forged: then it can go on where it is imported. Default: false. */
  readonly secrets?: boolean | undefined;
}

/** Objects are for looking at; of a large graph only so many go along. */
const maxObjects = 10_000;
const maxTries = 5;

/** The bytes of the file. Nothing is written before all of the job was read as it was at one moment. */
export async function* exportJob(
  store: Store,
  id: string,
  { secrets = false }: ExportOptions,
  redactor?: Redactor,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { rows, job } = await atOneMoment(store, id, secrets);
  const about = {
    kind: 'job',
    id,
    role: job.role,
    secrets,
    exported: new Date().toISOString(),
    version: packageVersion(),
  };
  yield* writeArchive(
    about,
    secrets || redactor === undefined ? rows : rows.map((one) => withoutSecrets(one, redactor)),
  );
}

/** What goes on elsewhere needs everything; what is only looked at does not. Images of programs, and what is named by its hash, stay. */
function withoutSecrets(one: ArchivedRow, redactor: Redactor): ArchivedRow {
  return redactedCollections.has(one.collection) ? { ...one, value: redactor.stored(one.value) } : one;
}

const redactedCollections: ReadonlySet<string> = new Set(
  [
    ...[jobRows, jobInboxRows, jobCallRows, jobEventRows, jobPastRows],
    ...[largeTextRows, chatRows, stepRows, futureRows, consoleRows],
  ].map(({ name }) => name),
);

/** Every commit of a job changes its row or that of its workspace: if neither changed, all was read as it was at one moment. */
async function atOneMoment(
  store: Store,
  id: string,
  secrets: boolean,
): Promise<{ readonly rows: readonly ArchivedRow[]; readonly job: JobRow }> {
  for (let tries = 0; tries < maxTries; tries++) {
    const before = await marksOf(store, id);
    const rows: ArchivedRow[] = [];
    for await (const one of rowsOf(store, before.job, before.workspace, secrets)) rows.push(one);
    const after = await marksOf(store, id);
    if (after.mark === before.mark) return { rows, job: before.job };
  }
  throw new JobStateError(`The job '${id}' changes faster than it can be read. Pause it, export it, and resume it.`, {
    id,
  });
}

async function marksOf(
  store: Store,
  id: string,
): Promise<{ readonly job: JobRow; readonly workspace: WorkspaceRow | undefined; readonly mark: string }> {
  const [job] = await store.read(jobRows, [[id]]);
  if (job === undefined) throw new NotFoundError(`There is no job '${id}'.`, { id });
  const [workspace] = await store.read(workspaceRows, [[job.value.workspace ?? id]]);
  return { job: job.value, workspace: workspace?.value, mark: `${job.revision} ${workspace?.revision ?? 0}` };
}

async function* rowsOf(
  store: Store,
  job: JobRow,
  workspace: WorkspaceRow | undefined,
  secrets: boolean,
): AsyncGenerator<ArchivedRow, void, undefined> {
  const { id } = job;
  yield row(jobRows, [id], job);
  for (const collection of [jobInboxRows, jobCallRows, jobEventRows, jobPastRows, largeTextRows])
    yield* owned(store, collection, id);
  const definitions = new Set<string>(definitionsIn(job.state));
  for await (const { key, value } of scanAll(store, chatRows, { prefix: [id] })) {
    yield row(chatRows, key, value);
    if (value.kind === 'reply' && value.asked !== undefined) definitions.add(value.asked.definition);
  }
  for (const hash of definitions) yield* exact(store, definitionRows, [hash]);
  if (workspace !== undefined) yield* programRows(store, job, workspace, secrets);
}

async function* programRows(
  store: Store,
  job: JobRow,
  workspace: WorkspaceRow,
  secrets: boolean,
): AsyncGenerator<ArchivedRow, void, undefined> {
  const { id } = workspace;
  yield row(workspaceRows, [id], secrets ? workspace : { ...workspace, secret: '' });
  for (const collection of [stepRows, futureRows, consoleRows]) yield* owned(store, collection, id);
  if (id !== job.id) yield* owned(store, largeTextRows, id);
  const held = new Set<string>();
  const commits: string[] = [];
  for await (const { collection, key, value, commit } of chainRows(store, id)) {
    yield row(collection, key, value);
    if (commit === undefined) continue;
    commits.push(commit.hash);
    const list = metadataOf(commit).state.held;
    if (list !== undefined) held.add(list);
  }
  yield* originRows(store, job, workspace, commits);
  if (workspace.state.held !== undefined) held.add(workspace.state.held);
  const objects = new Set<string>();
  for (const list of held)
    for await (const one of exact(store, heldRows, [list])) {
      yield one;
      for (const object of one.value as readonly string[]) objects.add(object);
    }
  for await (const { collection, key, value } of objectRows(store, objects, maxObjects))
    yield row(collection, key, value);
}

/**
 * What a fork has of the programs it came from, as if it were its own: the code of their steps, what they printed until then, and
 * what is recorded of the jobs at their commits.
 */
async function* originRows(
  store: Store,
  job: JobRow,
  workspace: WorkspaceRow,
  commits: readonly string[],
): AsyncGenerator<ArchivedRow, void, undefined> {
  for (const segment of workspace.state.console) {
    if (segment.workspace === workspace.id) continue;
    const range = { from: [segment.workspace, segment.from], to: [segment.workspace, segment.to + 1] };
    for await (const { key, value } of scanAll(store, consoleRows, range)) yield row(consoleRows, key, value);
  }
  let { forkedFrom } = workspace;
  const seen = new Set<number>();
  for await (const { key } of scanAll(store, stepRows, { prefix: [workspace.id] })) seen.add(Number(key[1]));
  while (forkedFrom !== undefined) {
    const origin: string = forkedFrom.workspace;
    for await (const { key, value } of scanAll(store, stepRows, { prefix: [origin] })) {
      if (seen.has(Number(key[1])) || value.number >= workspace.nextStep) continue;
      seen.add(value.number);
      yield row(stepRows, [workspace.id, value.number], value);
    }
    const [entry] = await store.read(workspaceRows, [[origin]]);
    forkedFrom = entry?.value.forkedFrom;
  }
  for (let from = job.forkedFrom; from !== undefined;) {
    const origin: string = from.job;
    const recorded = await store.read(
      jobPastRows,
      commits.map((commit) => [origin, commit]),
    );
    for (const entry of recorded)
      if (entry !== undefined) yield row(jobPastRows, [job.id, String(entry.key[1])], entry.value);
    const [entry] = await store.read(jobRows, [[origin]]);
    from = entry?.value.forkedFrom;
  }
}

async function* owned(store: Store, collection: Collection, id: string): AsyncGenerator<ArchivedRow, void, undefined> {
  for await (const { key, value } of scanAll(store, collection, { prefix: [id] })) yield row(collection, key, value);
}

async function* exact(store: Store, collection: Collection, key: Key): AsyncGenerator<ArchivedRow, void, undefined> {
  const [entry] = await store.read(collection, [key]);
  if (entry !== undefined) yield row(collection, key, entry.value);
}

function row({ name }: Collection, key: Key, value: unknown): ArchivedRow {
  return { collection: name, key, value };
}

function definitionsIn(state: unknown): readonly string[] {
  const definition = (state as { definition?: unknown } | null)?.definition;
  return typeof definition === 'string' ? [definition] : [];
}
