// What happened in the calls of tasks, as a list that programs can tell apart: what was asked, what the agent did, what
// came of it, how it ended. Made from the conversation and the journal of the job; each event has the commit it belongs to.
import { messageText, messageToolCalls } from '../../models/door.ts';
import { faultText } from '../chat/console.ts';
import { piecesOf } from '../chat/fences.ts';
import type { ChatItem, StepItem } from '../chat/item.ts';
import { dialects } from '../language.ts';
import type { JobStreamEvent } from '../../jobs/door.ts';
import { NotFoundError } from '../../workspace/door.ts';
import type { Job } from '../job.ts';

/** What an event of any kind has. */
type Common = Pick<TaskEvent, 'agent' | 'time' | 'commit'>;

/** Something that happened in a call of a task, told apart by `kind`. */
export type TaskEvent = {
  /** The role of the agent. */
  readonly agent: string;
  readonly time: Date;
  /** The commit of the variables it belongs to: the one it made, or the latest before it. */
  readonly commit: string | undefined;
} &
  /** A task was called. */
  (
    | {
        readonly kind: 'call';
        readonly text: string;
      }
    /** The agent replied: what it wrote, and the code in it. */
    | {
        readonly kind: 'action';
        readonly turn: number;
        readonly text: string;
        readonly code: readonly string[];
      }
    /** Code has run. */
    | {
        readonly kind: 'output';
        readonly console: readonly string[];
        readonly value: string | undefined;
        readonly error: string | undefined;
      }
    /** The system told the agent something. */
    | {
        readonly kind: 'note';
        readonly text: string;
      }
    /** A call has ended. */
    | {
        readonly kind: 'success' | 'fail' | 'cancelled' | 'limit';
        readonly reason: string | undefined;
      }
  );

type OutputEvent = Extract<TaskEvent, { readonly kind: 'output' }>;
type EndEvent = Extract<TaskEvent, { readonly reason: string | undefined }>;

const endings = { completed: 'success', failed: 'fail', cancelled: 'cancelled', limit: 'limit' } as const;

/** Everything that happened so far. */
export async function taskEvents(job: Job): Promise<TaskEvent[]> {
  const fences = await fencesOf(job);
  const happened = await job.pastEvents();
  const ends = endsOf(job, happened);
  const events: TaskEvent[] = [];
  let commit = happened.find((event) => event.commit !== undefined)?.commit;
  const items = (await job.chat()).toSorted((a, b) => a.number - b.number);
  for (const item of items) {
    for (const end of ends.splice(0, ends.findLastIndex(({ time }) => time.getTime() < item.time) + 1))
      events.push({ ...end, commit: end.commit ?? commit });
    if (item.kind === 'step') commit = item.commit ?? commit;
    const common = { agent: job.role, time: new Date(item.time), commit };
    const event = eventOf(item, common, fences);
    if (event !== undefined) events.push(event);
  }
  return [...events, ...ends.map((end) => ({ ...end, commit: end.commit ?? commit }))];
}

/** What marks code in the replies of a job's agent. One that has not begun, and may never begin, has no replies. */
async function fencesOf(job: Job): Promise<readonly string[]> {
  try {
    const { language } = await job.definition();
    return dialects[language].fences;
  } catch (error) {
    if (error instanceof NotFoundError) return [];
    throw error;
  }
}

function eventOf(item: ChatItem, common: Common, fences: readonly string[]): TaskEvent | undefined {
  switch (item.kind) {
    case 'message':
      return { ...common, kind: 'call', text: item.text };
    case 'reply': {
      const text = messageText(item.message);
      const code = piecesOf(text).flatMap((piece) =>
        piece.kind === 'fence' && fences.includes(piece.label.toLowerCase()) ? [piece.code] : [],
      );
      const called = messageToolCalls(item.message).map(({ name, input }) => `${name}(${JSON.stringify(input)})`);
      return { ...common, kind: 'action', turn: item.turn, text, code: [...code, ...called] };
    }
    case 'step':
      return item.warmup?.hidden === true ? undefined : output(item, common);
    case 'note':
    case 'notice':
      return { ...common, kind: 'note', text: item.text };
    default:
      return undefined;
  }
}

function output({ console, value, error }: StepItem, common: Common): OutputEvent {
  return { ...common, kind: 'output', console, value, error: error === undefined ? undefined : faultText(error) };
}

/** How it ended, as often as it did, as the journal of the job says. */
function endsOf(job: Job, happened: readonly JobStreamEvent[]): EndEvent[] {
  return happened.flatMap(({ kind, data, time, commit }) => {
    if (kind !== 'done') return [];
    const { outcome, error } = data as { outcome: keyof typeof endings; error?: string };
    return [{ kind: endings[outcome], agent: job.role, time, commit, reason: error }];
  });
}
