// What the commands share that do one thing to some jobs and tell what has become of them.
import type { Job } from '../../agents/job.ts';
import { exitCodeOf, exitCodes } from '../exit-codes.ts';
import { jobRecord, shownId, statusText } from '../describe.ts';
import { findJob } from '../identify.ts';
import { harmless } from '../output/style.ts';
import type { Session } from '../session.ts';

export const jobsArgument = { syntax: '<jobs...>', description: 'ids, shortened or not' };

/** Each in its turn; one that fails does not keep the others from being tried. Returns the worst code. */
export async function onJobs(
  session: Session,
  ids: readonly string[],
  action: (job: Job) => Promise<Readonly<Record<string, unknown>> | void>,
  said: (job: Job) => string = statusText,
): Promise<number> {
  const { out } = session;
  const kit = await session.kit('look');
  const done: unknown[] = [];
  let code: number = exitCodes.ok;
  for (const text of ids) {
    try {
      const job = await findJob(kit, text);
      const more = await action(job);
      done.push({ ...jobRecord(job), ...more });
      if (!out.isJson) out.line(`${shownId(job.id, out)}: ${harmless(said(job))}`);
    } catch (error) {
      if (ids.length === 1) throw error;
      code = Math.max(code, exitCodeOf(error));
      out.note(`${(error as { code?: string }).code ?? 'ERROR'}: ${harmless((error as Error).message)}`);
    }
  }
  if (out.isJson) out.json(ids.length === 1 ? done[0] : done);
  return code;
}
