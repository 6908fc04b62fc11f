// All waits: futures of jobs, futures of workspaces without a job, and jobs that wait for a message.
import type { Statek } from '../../kit/statek.ts';
import { jobRows } from '../../jobs/rows.ts';
import { scanAll } from '../../store/scan-all.ts';
import { isUndecided } from '../../workspace/futures/decisions.ts';
import { subjectOf, type FutureSubject } from '../../workspace/futures/future-subject.ts';
import { futureId, futureRows, timerOf, workspaceRows, type WaitingKind } from '../../workspace/rows.ts';

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
  /** Waits for approval. */
  readonly undecided: boolean;
}

export async function* everythingPending(kit: Statek): AsyncGenerator<Pending, void, undefined> {
  for await (const { job, ...pending } of kit.pending()) yield { ...pending, workspace: job };
  yield* messagesAwaited(kit);
  yield* workspacesWaiting(kit);
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
        undecided: false,
      };
    }
    cursor = page.cursor;
  } while (cursor !== undefined);
}

async function* workspacesWaiting({ store }: Statek): AsyncGenerator<Pending, void, undefined> {
  for await (const { value } of scanAll(store, workspaceRows, {})) {
    const { id, state } = value;
    if (state.waiting.length === 0 || (await store.read(jobRows, [[id]]))[0] !== undefined) continue;
    const futures = await store.read(
      futureRows,
      state.waiting.map(({ workspace, number }) => [workspace, number]),
    );
    for (const entry of futures) {
      if (entry === undefined || entry.value.outcome !== undefined) continue;
      const { kind, label, created } = entry.value;
      const due = timerOf(entry.value);
      yield {
        id: futureId(entry.value),
        workspace: id,
        role: undefined,
        kind,
        label,
        due: due === undefined ? undefined : new Date(due),
        since: new Date(created),
        undecided: isUndecided(entry.value),
        ...(await subjectOf(store, entry.value)),
      };
    }
  }
}
