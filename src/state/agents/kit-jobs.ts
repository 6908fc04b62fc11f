// Jobs of a kit as agents: a snapshot of a job is a tagged commit, and recovering it goes back to one and continues, in whichever
// process works on its role.
import type { Job } from '../../agents/door.ts';
import {
  jobRows,
  jobWorkRows,
  requestGoOn,
  requestResume,
  workKey,
  type JobCall,
  type JobRow,
  type Jobs,
} from '../../jobs/door.ts';
import type { TransactionPart } from '../../store/door.ts';
import type { Workspace } from '../../workspace/door.ts';
import { StateTransitionError } from '../foundation/errors.ts';
import { isOutcomeUnknown } from '../foundation/unknown-outcome.ts';
import type { AgentSnapshot } from './records.ts';

export class JobAgents {
  readonly #jobs: Jobs;
  readonly #job: (row: JobRow) => Job;

  constructor(jobs: Jobs, job: (row: JobRow) => Job) {
    this.#jobs = jobs;
    this.#job = job;
  }

  async row(id: string): Promise<JobRow | undefined> {
    return (await this.#jobs.system.read(id))?.row;
  }

  /** The latest commit, the number of its step, and what tags it so that retention keeps it. */
  async tag(row: JobRow, name: string): Promise<{ commit: string; step: number; part: TransactionPart }> {
    const workspace = this.#workspace(row);
    const { history } = this.#jobs.system;
    const { hash } = await history.head(workspace.id);
    const { step } = (await workspace.commit(hash)) ?? { step: null };
    return { commit: hash, step: step ?? 0, part: await history.tag(workspace.id, hash, name) };
  }

  async untag(row: JobRow, name: string): Promise<TransactionPart | undefined> {
    const { history } = this.#jobs.system;
    const { id } = this.#workspace(row);
    return (await history.tags(id)).some((tag) => tag.name === name) ? history.untag(id, name) : undefined;
  }

  /** What a job was at one of its commits. */
  async moment(
    row: JobRow,
    commit: string,
  ): Promise<Pick<AgentSnapshot, 'memoryState' | 'toolState' | 'conversationHistory'>> {
    const { variables, chat, calls } = await this.#job(row).moment(commit);
    return {
      memoryState: variables,
      toolState: await Promise.all(calls.filter(({ by }) => by === 'program').map(toolCall)),
      conversationHistory: chat,
    };
  }

  /**
   * Calls whose outcome nobody knows, if the job goes on from a commit (default: from where it stands): their process is gone, or
   * said so itself. What the program was told of before the commit is its own business.
   */
  async unknownCalls(row: JobRow, commit: string | undefined): Promise<readonly string[]> {
    const calls = await this.#jobs.calls(row, { undone: true });
    const since = commit === undefined ? undefined : (await this.#workspace(row).commit(commit))?.time;
    const isHeld = await this.#isHeld(row);
    const unknown: string[] = [];
    for (const call of calls) {
      if (call.by !== 'program') continue;
      if (call.state === 'started' && !isHeld) unknown.push(call.id);
      else if (
        call.state === 'failed' &&
        since !== undefined &&
        (call.ended ?? since) > since &&
        (await isOutcomeUnknown(call))
      )
        unknown.push(call.id);
    }
    // What ended the job was not dealt with by its program.
    if (commit === undefined && row.error?.code === 'OUTCOME_UNKNOWN')
      for (const call of calls) if (call.by === 'program' && (await isOutcomeUnknown(call))) unknown.push(call.id);
    return [...new Set(unknown)];
  }

  /** Continues a job from a commit, or from where it stands; returns the id of the job that goes on. */
  async recover(row: JobRow, commit: string | undefined): Promise<string> {
    const { system } = this.#jobs;
    const { id } = row;
    const isOver = row.status === 'DONE';
    const reopens = (await system.learnRole(row.role)).reopens === true;
    // A job that its driver cannot start again goes on as another one.
    if (isOver && (!reopens || row.workspace !== undefined))
      return this.#jobs.fork(row, this.#workspace(row), commit, undefined, { goesOn: true });
    if (commit !== undefined) {
      await this.#jobs.rollback(row, this.#workspace(row), commit);
      await requestGoOn(system, id);
    }
    if (row.paused === true || (isOver && commit === undefined)) await requestResume(system, id);
    return id;
  }

  /** Tells of each time a job has failed, from now on and the last time before; ends with the signal. */
  async watch(id: string, failed: (row: JobRow) => Promise<void>, signal: AbortSignal): Promise<void> {
    const { store } = this.#jobs.system;
    const since = await store.revision();
    const look = async (): Promise<void> => {
      const row = await this.row(id);
      if (row?.status === 'DONE' && (row.outcome === 'failed' || row.outcome === 'limit')) await failed(row);
    };
    await look();
    for await (const { changes } of store.follow({ collections: [jobRows], range: { prefix: [id] }, since, signal }))
      if (changes.length > 0) await look();
  }

  /** Whether a process works on the job now. */
  async #isHeld(row: JobRow): Promise<boolean> {
    const { at } = row;
    if (at === null) return false;
    const { store } = this.#jobs.system;
    await store.expireDead?.(jobWorkRows);
    const holders = await store.holders(jobWorkRows, { prefix: workKey({ ...row, at }) });
    return holders.some(({ isExpired }) => !isExpired);
  }

  #workspace(row: JobRow): Workspace {
    const workspace = this.#jobs.workspaceOf(row);
    if (workspace !== undefined) return workspace;
    throw new StateTransitionError(
      `The job '${row.id}' has not run any code, so it has no commit yet. Wait until it has begun.`,
      { agentId: row.id },
    );
  }
}

async function toolCall(call: JobCall): Promise<Readonly<Record<string, unknown>>> {
  const { id, name, state, created, ended, cached } = call;
  return { id, name, state, created, ended, cached, input: await call.input(), output: await call.output() };
}
