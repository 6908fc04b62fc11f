// All waits: futures of jobs, futures of workspaces without a job, and jobs that wait for a message.
import type { Statek } from '../../kit/statek.ts';
import { needOf, standingAt } from '../../jobs/queue-place.ts';
import { jobRows, jobWorkRows } from '../../jobs/rows.ts';
import { readUndamaged } from '../../store/read-undamaged.ts';
import { scanAll } from '../../store/scan-all.ts';
import { scanUndamaged } from '../../store/scan-undamaged.ts';
import type { FutureSubject } from '../../workspace/futures/future-subject.ts';
import { questions } from '../../workspace/futures/questions.ts';
import { workspaceRows, type CodePlace, type WaitingKind } from '../../workspace/rows.ts';

export interface Pending extends FutureSubject {
  /** For answer, approve and deny; undefined for a job that waits for a message. */
  readonly id: string | undefined;
  /** The job or workspace. */
  readonly workspace: string;
  readonly role: string | undefined;
  readonly kind: WaitingKind | 'message' | 'version';
  readonly label: string;
  readonly due: Date | undefined;
  readonly since: Date;
  /** Where in the code it was asked for. */
  readonly at: CodePlace | undefined;
  /** Waits for approval. */
  readonly undecided: boolean;
}

export async function* everythingPending(
  kit: Statek,
  { kind, people }: { readonly kind?: Pending['kind'] | undefined; readonly people?: boolean | undefined } = {},
): AsyncGenerator<Pending, void, undefined> {
  const isIndexed = people === true || kind === 'ask' || kind === 'approve';
  if (kind !== 'message' && kind !== 'version')
    for await (const { job, ...pending } of kit.pending({ people: isIndexed })) yield { ...pending, workspace: job };
  if (kind === undefined || kind === 'message') yield* messagesAwaited(kit);
  if ((kind === undefined && !isIndexed) || kind === 'version') yield* versionsAwaited(kit);
  if (kind !== 'message' && kind !== 'version') yield* isIndexed ? workspacesAsking(kit) : workspacesWaiting(kit);
}

/** Questions of workspaces that no job uses. */
async function* workspacesAsking(kit: Statek): AsyncGenerator<Pending, void, undefined> {
  for await (const page of questions(kit.store, 'oldest')) {
    const names = new Set(page.flatMap(({ value }) => [value.workspace, ...value.sharedWith]));
    for (const name of names) yield* workspaceWaits(kit, name);
  }
}

async function* workspaceWaits(kit: Statek, id: string): AsyncGenerator<Pending, void, undefined> {
  const damaged: unknown[] = [];
  const [job] = await readUndamaged(kit.store, jobRows, [[id]], (key) => damaged.push(key));
  if (job !== undefined || damaged.length > 0) return;
  const workspace = await kit.findWorkspace(id);
  for (const future of (await workspace?.waiting()) ?? [])
    yield { role: undefined, due: undefined, at: undefined, ...future, workspace: id };
}

async function* messagesAwaited(kit: Statek): AsyncGenerator<Pending, void, undefined> {
  let cursor: string | undefined;
  do {
    const page = await kit.jobPage({ status: 'SUSPENDED', limit: 500, cursor });
    const rows =
      page.jobs.length === 0
        ? []
        : await readUndamaged(
            kit.store,
            jobRows,
            page.jobs.map(({ id }) => [id]),
            () => undefined,
          );
    for (const entry of rows) {
      if (entry?.value.action?.kind !== 'wait') continue;
      const { id, role, updated, action } = entry.value;
      yield {
        id: undefined,
        workspace: id,
        role,
        kind: 'message',
        label: 'a message',
        text: 'a message',
        due: action.until === undefined ? undefined : new Date(action.until),
        since: new Date(updated),
        at: undefined,
        undecided: false,
      };
    }
    cursor = page.cursor;
  } while (cursor !== undefined);
}

/** Jobs that could go on, if there were a worker of the version they need. */
async function* versionsAwaited(kit: Statek): AsyncGenerator<Pending, void, undefined> {
  for await (const { key } of scanAll(kit.store, jobWorkRows, {})) {
    const { role, part, id } = standingAt(key);
    const { needs, pinned } = part === undefined ? {} : needOf(part);
    if (needs === undefined || (await kit.store.holders(jobWorkRows, { prefix: key })).length > 0) continue;
    const [entry] = await readUndamaged(kit.store, jobRows, [[id]], () => undefined);
    const text = pinned === true ? `a worker of version ${needs}` : `a worker of version ${needs} or later`;
    yield {
      id: undefined,
      workspace: id,
      role,
      kind: 'version',
      label: text,
      text,
      due: undefined,
      since: new Date(entry?.value.updated ?? 0),
      at: undefined,
      undecided: false,
    };
  }
}

async function* workspacesWaiting(kit: Statek): AsyncGenerator<Pending, void, undefined> {
  for await (const { value } of scanUndamaged(kit.store, workspaceRows, {}, () => undefined)) {
    const { id, state } = value;
    if (state.waiting.length > 0) yield* workspaceWaits(kit, id);
  }
}
