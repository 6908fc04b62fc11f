// What the commands share that do one thing to some jobs and tell what has become of them.
import type { Job } from '../../../agents/job.ts';
import { exitCodeOf, exitCodes } from '../../line/exit-codes.ts';
import { jobRecord, shownId, statusText } from '../../shown/describe.ts';
import { findJob } from '../../shown/identify.ts';
import { harmless } from '../../output/style.ts';
import type { Session } from '../../session.ts';

export const jobsArgument = { syntax: '<jobs...>', description: 'ids, shortened or not' };

/** Does one thing to some jobs, and says their status or something else of each. Returns the worst code. */
export async function onJobs(
  session: Session,
  ids: readonly string[],
  action: (job: Job) => Promise<Readonly<Record<string, unknown>> | void>,
  said: (job: Job) => string = statusText,
): Promise<number> {
  const kit = await session.kit('look');
  return onEach(session, ids, async (text) => {
    const job = await findJob(kit, text);
    const more = await action(job);
    return { id: job.id, said: said(job), record: { ...jobRecord(job), ...more } };
  });
}

/** Each in its turn; one that fails does not keep the others from being tried. Returns the worst code. */
export async function onEach(
  { out }: Session,
  texts: readonly string[],
  act: (text: string) => Promise<{ readonly id: string; readonly said: string; readonly record: object }>,
): Promise<number> {
  const done: object[] = [];
  let code: number = exitCodes.ok;
  for (const text of texts) {
    try {
      const { id, said, record } = await act(text);
      done.push(record);
      if (!out.isJson) out.line(`${shownId(id, out)}: ${harmless(said)}`);
    } catch (error) {
      if (texts.length === 1) throw error;
      code = Math.max(code, exitCodeOf(error));
      out.note(`${(error as { code?: string }).code ?? 'ERROR'}: ${harmless((error as Error).message)}`);
    }
  }
  if (out.isJson) out.json(texts.length === 1 ? done[0] : done);
  return code;
}
