// All waits: futures of jobs, futures of workspaces without a job, and jobs that wait for a message.
import type { Statek } from '../../kit/statek.ts';
import { jobRows } from '../../jobs/rows.ts';
import { scanAll } from '../../store/scan-all.ts';
import type { FutureSubject } from '../../workspace/futures/future-subject.ts';
import { questions } from '../../workspace/futures/questions.ts';
import { workspaceRows, type CodePlace, type WaitingKind } from '../../workspace/rows.ts';

export interface Pending extends FutureSubject {
  /** For answer, approve and deny; undefined for a job that waits for a message. */
  readonly id: string | undefined;
  /** The job or workspace. */
  readonly workspace: string;
  readonly role: string | undefined;
  readonly kind: WaitingKind | 'message';
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
  if (kind !== 'message')
    for await (const { job, ...pending } of kit.pending({ people: isIndexed })) yield { ...pending, workspace: job };
  if (kind === undefined || kind === 'message') yield* messagesAwaited(kit);
  if (kind !== 'message') yield* isIndexed ? workspacesAsking(kit) : workspacesWaiting(kit);
}

/** Questions of workspaces that no job uses. */
async function* workspacesAsking(kit: Statek): AsyncGenerator<Pending, void, undefined> {
  for await (const page of questions(kit.store, 'oldest')) {
    const names = new Set(page.flatMap(({ value }) => [value.workspace, ...value.sharedWith]));
    for (const name of names) yield* workspaceWaits(kit, name);
  }
}

async function* workspaceWaits(kit: Statek, id: string): AsyncGenerator<Pending, void, undefined> {
  if ((await kit.store.read(jobRows, [[id]]))[0] !== undefined) return;
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
        : await kit.store.read(
            jobRows,
            page.jobs.map(({ id }) => [id]),
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

async function* workspacesWaiting(kit: Statek): AsyncGenerator<Pending, void, undefined> {
  for await (const { value } of scanAll(kit.store, workspaceRows, {})) {
    const { id, state } = value;
    if (state.waiting.length > 0) yield* workspaceWaits(kit, id);
  }
}
