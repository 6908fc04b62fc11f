// Calls that agents and programs of a kit made, as executions: the rest of what the log of calls says is read from the journal.
import { callById, callsGone, type JobCall, type Jobs } from '../../jobs/door.ts';
import { StoreCorruptError } from '../../store/door.ts';
import { parseFutureId, toolName, type LoggedCall } from '../../workspace/door.ts';
import { isOutcomeUnknown } from '../foundation/unknown-outcome.ts';
import type { ToolExecution, ToolExecutionStatus } from './records.ts';

/** Where the manager of a kit finds calls. */
export interface CallJournal {
  /** A call by its id, whatever has become of it; undefined if there is none. */
  find(id: string): Promise<ToolExecution | undefined>;
  /** A call that is over, from the log, with what the journal still has of it. */
  complete(call: LoggedCall): Promise<ToolExecution>;
  /** Which of these calls the journal does not have any more, because their job or their commit is gone. */
  gone(calls: readonly LoggedCall[]): Promise<ReadonlySet<LoggedCall>>;
}

export function callJournalOf(jobs: Jobs): CallJournal {
  return {
    async find(id) {
      const call = await callById(jobs.system, id);
      if (call === undefined) return undefined;
      const job = /^(.*)\/slice\//s.exec(id)?.[1] ?? parseFutureId(id)?.workspace ?? '';
      const known = await jobs.system.read(job);
      const { name, created, ended, attempts, duration, cached } = call;
      const status = (await isOutcomeUnknown(call)) ? 'unknown' : statuses[call.state];
      return {
        executionId: id,
        toolName: toolName(name, false),
        status,
        startedAt: new Date(attempts.at(-1)?.started ?? created.getTime()),
        completedAt: ended,
        durationMs: duration,
        cached,
        attempts: Math.max(1, attempts.length),
        role: known?.row.role ?? '',
        jobId: known === undefined ? undefined : job,
        metadata: {},
        ...(await contentsOf(call)),
      };
    },
    gone: (calls) => callsGone(jobs.system.store, calls),
    async complete(logged) {
      const { id, tool, outcome, started, ended, cached, attempts = 1, role, job, error } = logged;
      const contents = await contentsById(jobs, id);
      return {
        executionId: id,
        toolName: tool,
        status: outcome,
        startedAt: new Date(started),
        completedAt: new Date(ended),
        durationMs: cached === true ? undefined : ended - started,
        cached: cached === true,
        attempts,
        role,
        jobId: job,
        metadata: {},
        ...contents,
        error,
      };
    },
  };
}

const statuses: Readonly<Record<JobCall['state'], ToolExecutionStatus>> = {
  waiting: 'pending',
  approval: 'pending',
  started: 'running',
  done: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
};

/** What a call was given and returned; nothing if its journal is gone or damaged: the list goes on without it. */
async function contentsById(jobs: Jobs, id: string): Promise<Pick<ToolExecution, 'parameters' | 'result'>> {
  try {
    const call = await callById(jobs.system, id);
    if (call !== undefined) return await contentsOf(call);
  } catch (error) {
    if (!(error instanceof StoreCorruptError)) throw error;
  }
  return { parameters: undefined, result: undefined };
}

/** A tool is given one object by its names; a function a list. */
async function contentsOf(call: JobCall): Promise<Pick<ToolExecution, 'parameters' | 'result' | 'error'>> {
  const given = await call.input();
  const output = await call.output();
  const parameters = Array.isArray(given) && given.length === 1 ? (given[0] as unknown) : given;
  if (call.state !== 'failed') return { parameters, result: output, error: undefined };
  const error = output instanceof Error ? `${output.name}: ${output.message}` : String(output);
  return { parameters, result: undefined, error };
}
