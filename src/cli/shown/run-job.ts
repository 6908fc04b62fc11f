// Submits a job, works on it in this process and follows it until it ends.
import type { Job } from '../../agents/job.ts';
import { errorText, isWorthPrinting, jobRecord, waitingText } from './describe.ts';
import { eventLine } from './event-line.ts';
import type { Given } from '../line/command.ts';
import { Interrupted } from '../line/errors.ts';
import { exitCodes } from '../line/exit-codes.ts';
import { jsonOrFile } from '../line/parse.ts';
import type { Session } from '../session.ts';
import { inFull } from './variables.ts';

export async function runJob(session: Session, given: Given, vars: Record<string, unknown>): Promise<number> {
  const { out } = session;
  const kit = await session.kit('work');
  const input = given.optional('input');
  const job = await kit.submit(given.text('role'), {
    id: given.optional('id'),
    ...(given.has('workspace') ? { workspace: given.text('workspace') } : {}),
    labels: given.list('label'),
    priority: given.number('priority') ?? 0,
    ...(Object.keys(vars).length === 0 ? {} : { vars }),
    ...(input === undefined ? {} : { input: jsonOrFile('--input', input, session.folder) }),
    ...(given.has('message') ? { message: given.text('message') } : {}),
  });
  if (given.flag('detach')) {
    if (out.isJson) out.json(jobRecord(job));
    else out.line(job.id);
    return exitCodes.ok;
  }
  if (!out.isJson) {
    out.note(out.noteStyle.dim(`job ${job.id}`));
    void printProgress(session, job);
  }
  const worker = kit.start();
  try {
    // A failure of the job is printed below.
    await session.unlessInterrupted(job.result().catch(() => undefined));
  } catch (error) {
    if (error instanceof Interrupted)
      out.note(`Stopped following. The job continues wherever a worker runs: statek watch ${job.id}`);
    throw error;
  } finally {
    await worker.stop();
  }
  return printResult(session, await job.refresh());
}

async function printResult(session: Session, job: Job): Promise<number> {
  const { out } = session;
  const kit = await session.kit('work');
  const isCompleted = job.outcome === 'completed';
  const { json, text } = isCompleted ? await inFull(kit, await job.result(), 20_000) : { json: null, text: '' };
  if (out.isJson) out.json({ ...jobRecord(job), result: json });
  else if (isCompleted) out.line(text);
  else
    out.note(
      out.noteStyle.red(
        job.error === undefined ? `The job ended with the outcome '${job.outcome ?? ''}'.` : errorText(job.error),
      ),
    );
  return isCompleted ? exitCodes.ok : exitCodes.failed;
}

async function printProgress(session: Session, job: Job): Promise<void> {
  const { out, signal } = session;
  const announced = new Set<string>();
  try {
    for await (const event of job.events({ signal })) {
      if (event.kind === 'done') return;
      if (event.kind === 'slice') continue;
      out.note(out.noteStyle.dim(eventLine(out, event, false)));
      if (event.kind !== 'suspended') continue;
      for (const future of await job.waiting()) {
        if (!announced.has(future.id) && isWorthPrinting(future)) out.note(out.noteStyle.yellow(waitingText(future)));
        announced.add(future.id);
      }
    }
  } catch {
    // The kit was closed.
  }
}
