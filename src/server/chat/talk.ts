// What a chat client can do with a conversation, whichever protocol it speaks: say something, answer, decide. The conversation is
// the job of that id; the first message makes it.
import type { Job } from '../../agents/door.ts';
import { StatekError } from '../../base/error.ts';
import { NotFoundError } from '../../workspace/door.ts';
import { RequestError } from '../http/problem.ts';
import type { KitAccess } from '../access/kit-access.ts';
import type { Start } from './follow.ts';
import { answerName } from './transcript.ts';

/** What somebody says. */
export interface Saying {
  /** Said once, however often it is sent. */
  readonly id: string;
  readonly text: string;
  readonly media: readonly Readonly<Record<string, string>>[];
}

/** What somebody decided or answered. Only `approved: true` approves. */
export type Verdict =
  | { readonly id: string; readonly approved: boolean; readonly comment?: string | undefined }
  | { readonly id: string; readonly answer: unknown };

/** The conversation of a role; undefined before its first message. A job of another role, or of other callers, is refused. */
export async function findConversation(
  access: KitAccess,
  role: string,
  id: string,
  right: 'read' | 'answer' | 'control',
): Promise<Job | undefined> {
  try {
    const job = await access.job(id, right);
    if (job.role === role) return job;
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    if (!(await access.isHidden(id, right))) return undefined;
  }
  throw new NotFoundError(`There is no conversation '${id}' with '${role}'.`, { id, role });
}

/** The conversation, or the error that there is none. */
export async function conversation(
  access: KitAccess,
  role: string,
  id: string,
  right: 'read' | 'answer' | 'control',
): Promise<Job> {
  const job = await findConversation(access, role, id, right);
  if (job === undefined) throw new NotFoundError(`There is no conversation '${id}' with '${role}'.`, { id, role });
  return job;
}

/**
 * Says something. If the program has asked a question, this answers it. Returns the job, and where its answer begins.
 */
export async function say(
  access: KitAccess,
  role: string,
  id: string,
  { id: key, text, media }: Saying,
): Promise<{ readonly job: Job; readonly start: Start }> {
  const message = { text, id: key, ...(media.length === 0 ? {} : { media }) };
  const known = await findConversation(access, role, id, 'answer');
  const labels = access.caller.labels;
  const job = known ?? (await access.submit(role, { id, message, ...(labels === undefined ? {} : { labels }) }));
  if (job.role !== role) throw new NotFoundError(`There is no conversation '${id}' with '${role}'.`, { id, role });
  const before = known === undefined ? undefined : await saidBefore(known, key);
  if (before !== undefined && before.text !== undefined && before.text !== text)
    throw new RequestError(
      422,
      'EDITED',
      `The message '${key}' was said already, in other words. What was said stays said: send another message, or roll the job back or fork it (POST /v1/jobs/{id}/rollback).`,
    );
  if (before?.answers !== undefined) return { job, start: { kind: 'answer', id: answerName(before.answers) } };
  const question = known === undefined || before !== undefined ? undefined : await openQuestion(known);
  if (question !== undefined) {
    await access.answer(question.id, text, key);
    return { job, start: { kind: 'answer', id: answerName(question.number) } };
  }
  // Two pages may have begun the conversation at the same time: the job was made with one message, and is told the other.
  await job.say(message, { key, reopen: true });
  return { job, start: { kind: 'message', id: key } };
}

/** Carries out what a person decided. What others decided first stays, and is told by the conversation. */
export async function decide(access: KitAccess, job: Job, verdicts: readonly Verdict[]): Promise<void> {
  const waiting = job.status === 'DONE' ? [] : await job.waiting();
  for (const verdict of verdicts) {
    const wait = waiting.find(({ id }) => id === verdict.id);
    if (wait === undefined) continue;
    try {
      if ('answer' in verdict) {
        if (wait.kind === 'ask') await access.answer(wait.id, verdict.answer);
      } else if (wait.undecided) {
        if (verdict.approved) await access.approve(wait.id, verdict.comment);
        else await access.deny(wait.id, verdict.comment);
      }
    } catch (error) {
      if (!(error instanceof StatekError && error.code === 'WORKSPACE_STATE')) throw error;
    }
  }
}

async function openQuestion(job: Job): Promise<{ readonly id: string; readonly number: number } | undefined> {
  if (job.status === 'DONE') return undefined;
  const question = (await job.waiting()).find(({ kind }) => kind === 'ask');
  if (question === undefined) return undefined;
  const { futures } = await job.activity({ item: Number.MAX_SAFE_INTEGER - 1, future: 0 });
  return futures.find(({ id }) => id === question.id);
}

interface Said {
  /** Undefined if it was not only text. */
  readonly text: string | undefined;
  /** The number of the question that it has answered. */
  readonly answers?: number;
}

/** What was said under a name before, as a message or as the answer to a question. */
async function saidBefore(job: Job, key: string): Promise<Said | undefined> {
  const said = (await job.messages()).find(({ body }) => (body as { id?: unknown } | null)?.id === key);
  if (said !== undefined) {
    const { text } = said.body as { readonly text?: unknown };
    return { text: typeof text === 'string' ? text : undefined };
  }
  const { futures } = await job.activity({ item: Number.MAX_SAFE_INTEGER - 1, future: 0 });
  const answered = futures.find(({ kind, decision }) => kind === 'ask' && decision?.key === key);
  if (answered === undefined) return undefined;
  const answer = await answered.output();
  return { text: typeof answer === 'string' ? answer : undefined, answers: answered.number };
}
