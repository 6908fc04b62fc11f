// What is kept of a job's conversation: one row per item, written in the commit that made it and never changed. Items are
// the same for every chat style and provider; how they look to a model is decided when a request is made.
import { recordCollection } from '../../store/collection.ts';
import type { JsonValue } from '../../models/json.ts';
import type { AssistantMessage, MediaPart } from '../../models/message.ts';
import type { Difficulty } from '../../models/difficulty.ts';
import type { FinishReason, ModelUsage } from '../../models/request.ts';
import type { JobDefinition } from '../definition.ts';

interface Common {
  readonly number: number;
  readonly time: number;
}

/** Somebody said something to the job. */
export interface MessageItem extends Common {
  readonly kind: 'message';
  readonly text: string;
  readonly media?: readonly MediaPart[];
}

/** A subtask has ended or answered. */
export interface NoticeItem extends Common {
  readonly kind: 'notice';
  readonly from: string;
  readonly text: string;
}

/** What the system tells the model. */
export interface NoteItem extends Common {
  readonly kind: 'note';
  readonly text: string;
}

export interface ReplyItem extends Common {
  readonly kind: 'reply';
  /** Counts the replies of the job from 1. */
  readonly turn: number;
  readonly message: AssistantMessage;
  readonly finish: FinishReason;
  /** Not there if the reply is part of an example. */
  readonly usage?: ModelUsage;
  readonly warnings?: readonly string[];
  readonly difficulty: Difficulty;
  /** What it was an answer to: everything needed to make the request again. */
  readonly asked?: {
    readonly definition: string;
    readonly from: number;
    readonly foldItem: number;
    readonly upTo: number;
    /** The hash of the whole request. */
    readonly request: string;
  };
  /** Nobody was asked: the job went through an example. */
  readonly example?: true;
  /** A post-processor held it back, and says why; nothing of it is run or sent. */
  readonly suppressed?: string;
  /** What the model wrote, if a post-processor replaced it. */
  readonly original?: string;
}

/** Code that has run: a block of a reply, a block of the warmup, or a tool call. */
export interface StepItem extends Common {
  readonly kind: 'step';
  readonly step: number;
  readonly status: 'done' | 'failed';
  readonly console: readonly string[];
  /** The value, as text, if there is something to show. */
  readonly value?: string;
  readonly error?: StepFault;
  /** The tool call it was. */
  readonly call?: { readonly id: string; readonly name: string };
  /** A block of the warmup: its code, which no reply has. */
  readonly warmup?: {
    readonly source: string;
    readonly hidden?: true;
    readonly tool?: { name: string; input: JsonValue };
  };
  readonly commit?: string;
}

export interface StepFault {
  readonly name: string;
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
  readonly frame?: string;
}

/** A tool call that did not become a step: nothing to run was found. */
export interface ResultItem extends Common {
  readonly kind: 'result';
  readonly id: string;
  readonly name: string;
  readonly output: string;
}

/** Something was sent to the user. */
export interface SentItem extends Common {
  readonly kind: 'sent';
  readonly text: string;
  readonly reply: number;
  /** It may not have arrived. */
  readonly error?: string;
}

/** The job went back to an older commit: items after one are not part of the conversation any more; they stay as they are. */
export interface RollbackItem extends Common {
  readonly kind: 'rollback';
  readonly commit: string;
  /** The last item that still counts. */
  readonly after: number;
  /** What the model has to know of it; empty if there is nothing. */
  readonly text: string;
}

/** Items up to one are shown as a summary; they stay as they are. */
export interface FoldItem extends Common {
  readonly kind: 'fold';
  readonly upTo: number;
  readonly text: string;
  /** What the text is made from, and what the next one goes on from. */
  readonly digest: Digest;
}

/** The conversation in short. */
export interface Digest {
  /** What it began with. */
  readonly opening: string;
  /** A line per turn, of the later ones. */
  readonly lines: readonly string[];
  /** Turns that have no line any more. */
  readonly dropped: number;
}

export type ChatItem =
  | MessageItem
  | NoticeItem
  | NoteItem
  | ReplyItem
  | StepItem
  | ResultItem
  | SentItem
  | FoldItem
  | RollbackItem;

/** An item that has no number yet. */
export type NewItem = ChatItem extends infer Item
  ? Item extends ChatItem
    ? Omit<Item, 'number' | 'time'>
    : never
  : never;

/** [job, number] */
export const chatRows = recordCollection<ChatItem>('chat');
/** [hash] */
export const definitionRows = recordCollection<JobDefinition>('definitions');

export const agentCollections = [chatRows, definitionRows] as const;
