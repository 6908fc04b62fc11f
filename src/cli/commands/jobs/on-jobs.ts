// Shared by commands that do one thing to several jobs and print the result for each.
import type { Job } from '../../../agents/job.ts';
import { exitCodeOf, exitCodes } from '../../line/exit-codes.ts';
import { jobRecord, shownId, statusText } from '../../shown/describe.ts';
import { findJob } from '../../shown/identify.ts';
import { harmless } from '../../output/style.ts';
import type { Session } from '../../session.ts';

export const jobsArgument = { syntax: '<jobs...>', description: 'job ids; may be shortened' };

/** Runs an action on each job and prints a summary of it, by default its status. Returns the highest exit code. */
export async function onJobs(
  session: Session,
  ids: readonly string[],
  action: (job: Job) => Promise<Readonly<Record<string, unknown>> | void>,
  summarize: (job: Job) => string = statusText,
): Promise<number> {
  const kit = await session.kit('look');
  return onEach(session, ids, async (text) => {
    const job = await findJob(kit, text);
    const more = await action(job);
    return { id: job.id, summary: summarize(job), record: { ...jobRecord(job), ...more } };
  });
}

/** One after the other; a failure does not stop the rest. Returns the highest exit code. */
export async function onEach(
  { out }: Session,
  texts: readonly string[],
  act: (text: string) => Promise<{ readonly id: string; readonly summary: string; readonly record: object }>,
): Promise<number> {
  const done: object[] = [];
  let code: number = exitCodes.ok;
  for (const text of texts) {
    try {
      const { id, summary, record } = await act(text);
      done.push(record);
      if (!out.isJson) out.line(`${shownId(id, out)}: ${harmless(summary)}`);
    } catch (error) {
      if (texts.length === 1) throw error;
      code = Math.max(code, exitCodeOf(error));
      out.note(`${(error as { code?: string }).code ?? 'ERROR'}: ${harmless((error as Error).message)}`);
    }
  }
  if (out.isJson) out.json(texts.length === 1 ? done[0] : done);
  return code;
}
