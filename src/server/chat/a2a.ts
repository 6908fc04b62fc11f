// The conversation as tasks of A2A 1.0: a context is a job, and a task is what becomes of one message, with the questions and
// decisions on the way. What the agent says is an artifact, because an artifact can be replaced when text is taken back.
import type { Job } from '../../agents/door.ts';
import { jsonOf } from '../json/values.ts';
import type { ChatEvent, ChatFile, ChatRest } from './chat-event.ts';
import type { OpenConversation } from './follow.ts';
import type { Boundary } from './transcript.ts';

type Json = Readonly<Record<string, unknown>>;

/** The states of a task that can be had here, in the words of the protocol. */
export type TaskState =
  | 'TASK_STATE_SUBMITTED'
  | 'TASK_STATE_WORKING'
  | 'TASK_STATE_INPUT_REQUIRED'
  | 'TASK_STATE_COMPLETED'
  | 'TASK_STATE_CANCELED'
  | 'TASK_STATE_FAILED';

export interface TaskJson extends Json {
  readonly id: string;
  readonly contextId: string;
  readonly status: { readonly state: TaskState } & Json;
}

/** Nothing more becomes of a task in one of these states. */
export function isTerminal(state: TaskState): boolean {
  return state === 'TASK_STATE_COMPLETED' || state === 'TASK_STATE_CANCELED' || state === 'TASK_STATE_FAILED';
}

/** The id of a task: the job, and the message it answers. */
export function taskId(job: string, message: string): string {
  return `${encodeURIComponent(job)}/${encodeURIComponent(message)}`;
}

/** The job and the message of a task; undefined if it is not an id of ours. */
export function taskPlace(id: string): { readonly job: string; readonly message: string } | undefined {
  const [job, message, ...more] = id.split('/');
  if (job === undefined || message === undefined || more.length > 0) return undefined;
  try {
    return { job: decodeURIComponent(job), message: decodeURIComponent(message) };
  } catch {
    return undefined;
  }
}

/** What an agent has said for a task, and what of it may still be taken back. */
export class SpokenParts {
  #parts: { readonly id: string; text: string }[] = [];
  #committed = 0;
  readonly files: ChatFile[] = [];

  /** True if it changed. */
  hear(event: ChatEvent): boolean {
    switch (event.type) {
      case 'text': {
        const part = this.#parts.find(({ id }) => id === event.part);
        if (part === undefined) this.#parts.push({ id: event.part, text: event.text });
        else part.text += event.text;
        return true;
      }
      case 'text-end':
        this.#committed = this.#parts.length;
        return false;
      case 'reset':
        this.#parts = this.#parts.slice(0, this.#committed);
        return true;
      case 'file':
        this.files.push(event.file);
        return true;
      default:
        return false;
    }
  }

  /** Undefined if nothing was said. */
  artifact(): Json | undefined {
    const parts = [
      ...this.#parts.map(({ text }) => ({ text, mediaType: 'text/markdown' })),
      ...this.files.map(({ url, mediaType, filename }) => ({ url, mediaType, ...(filename && { filename }) })),
    ];
    return parts.length === 0 ? undefined : { artifactId: 'answer', name: 'answer', parts };
  }
}

/** What belongs to one task. */
interface Section {
  readonly message: Boundary | undefined;
  /** Answers to its questions. */
  readonly answers: Boundary[];
  readonly events: ChatEvent[];
}

/** A task as it is; undefined if the job was never sent that message. */
export async function taskOf(open: OpenConversation, message: string): Promise<TaskJson | undefined> {
  const { job } = open;
  const sections: Section[] = [];
  for await (const { boundary, events } of open.answers()) {
    const last = sections.at(-1);
    if (boundary?.isAnswer === true && last !== undefined) {
      last.answers.push(boundary);
      last.events.push(...events);
    } else sections.push({ message: boundary, answers: [], events: [...events] });
  }
  const index = sections.findIndex((section) => section.message?.id === message);
  // A program has no chat, so all of it is the one task; an agent may not have read the message yet.
  const hasChat = sections.some((section) => section.message !== undefined);
  if (index < 0 && !(await wasSent(job, message))) return undefined;
  const found = sections[index < 0 && !hasChat ? 0 : index];
  if (found === undefined) return taskJson(job, message, { state: 'TASK_STATE_SUBMITTED' }, []);
  const next = hasChat ? sections[index + 1]?.message : undefined;
  const spoken = new SpokenParts();
  for (const event of found.events) spoken.hear(event);
  const status = next === undefined ? await statusOf(job, open.rest) : await pastStatus(job, message);
  const artifacts = [spoken.artifact(), next === undefined ? await resultArtifact(job) : undefined];
  return taskJson(
    job,
    message,
    status,
    artifacts.filter((artifact) => artifact !== undefined),
    found,
  );
}

function taskJson(
  job: Job,
  message: string,
  status: TaskJson['status'],
  artifacts: readonly Json[],
  section?: Section,
): TaskJson {
  const id = taskId(job.id, message);
  const said = section === undefined ? [] : [...(section.message ? [section.message] : []), ...section.answers];
  return {
    id,
    contextId: job.id,
    status,
    artifacts,
    history: said.map((boundary) => ({
      messageId: boundary.id,
      contextId: job.id,
      taskId: id,
      role: 'ROLE_USER',
      parts: [{ text: boundary.text }],
    })),
    metadata: { statek: { job: job.id, role: job.role } },
  };
}

/** The state of the last task of a job, with what a person has to answer or decide. */
export async function statusOf(job: Job, rest: ChatRest | undefined): Promise<TaskJson['status']> {
  const timestamp = job.updated.toISOString();
  switch (rest?.reason) {
    case undefined:
    case 'paused':
    case 'rollback':
      return { state: 'TASK_STATE_WORKING', timestamp };
    case 'done':
      return { state: 'TASK_STATE_COMPLETED', timestamp };
    case 'cancelled':
    case 'failed':
    case 'limit': {
      const state = rest.reason === 'cancelled' ? 'TASK_STATE_CANCELED' : 'TASK_STATE_FAILED';
      return { state, message: agentMessage(job, [{ text: rest.text }]), timestamp };
    }
    case 'waiting': {
      const waits = (await job.waiting()).filter(({ kind, undecided }) => kind === 'ask' || undecided);
      const parts = waits.flatMap(({ id, kind, text, question }) => [
        { text: kind === 'ask' ? (question ?? text) : `Approve? ${text}` },
        { data: { statek: { id, kind: kind === 'ask' ? 'ask' : 'approve' } }, mediaType: 'application/json' },
      ]);
      return { state: 'TASK_STATE_INPUT_REQUIRED', message: agentMessage(job, parts), timestamp };
    }
  }
}

/** How a task ended that another message came after. */
async function pastStatus(job: Job, message: string): Promise<TaskJson['status']> {
  const sent = (await job.messages()).filter(({ kind }) => kind === 'message');
  const index = sent.findIndex(({ body }) => idOf(body) === message);
  const [from, to] = [sent[index]?.time.getTime() ?? 0, sent[index + 1]?.time.getTime() ?? Number.POSITIVE_INFINITY];
  const end = (await job.pastEvents()).findLast(
    ({ kind, time }) => kind === 'done' && time.getTime() >= from && time.getTime() <= to,
  );
  return { state: stateOf((end?.data as { readonly outcome?: Job['outcome'] } | undefined)?.outcome) };
}

/** A task that a message came after before it had ended is as good as completed. */
function stateOf(outcome: Job['outcome']): TaskState {
  if (outcome === 'cancelled') return 'TASK_STATE_CANCELED';
  return outcome === undefined || outcome === 'completed' ? 'TASK_STATE_COMPLETED' : 'TASK_STATE_FAILED';
}

/** The result of a job as data, if it is more than a text, which is part of the answer. */
export async function resultArtifact(job: Job): Promise<Json | undefined> {
  if (job.status !== 'DONE' || job.outcome !== 'completed') return undefined;
  const data = jsonOf(await job.result());
  if (data === undefined || data === null || typeof data === 'string') return undefined;
  return { artifactId: 'result', name: 'result', parts: [{ data, mediaType: 'application/json' }] };
}

function agentMessage(job: Job, parts: readonly Json[]): Json {
  return { messageId: `${job.id}-${job.updated.getTime()}`, contextId: job.id, role: 'ROLE_AGENT', parts };
}

async function wasSent(job: Job, message: string): Promise<boolean> {
  return (await job.messages()).some(({ body }) => idOf(body) === message);
}

/** What whoever said it calls it. */
export function idOf(body: unknown): unknown {
  return (body as { readonly id?: unknown } | null)?.id;
}
