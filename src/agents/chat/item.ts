// What is kept of a job's conversation: one row per item, written in the commit that made it and never changed. Items are
// the same for every chat style and provider; how they look to a model is decided when a request is made.
import { recordCollection } from '../../store/door.ts';
import type {
  AssistantMessage,
  Difficulty,
  FinishReason,
  JsonValue,
  MediaPart,
  ModelUsage,
} from '../../models/door.ts';
import type { JobDefinition } from '../definition.ts';

/**
 * One item of a job's conversation, told apart by `kind`: what was said to the job, what its model replied, what its code did
 * and printed, what was sent to the user.
 */
export type ChatItem = {
  /** Counts the items of the job from 1. */
  readonly number: number;
  /** Milliseconds since 1970. */
  readonly time: number;
} &
  /** Somebody said something to the job. */
  (
    | {
        readonly kind: 'message';
        /** What whoever said it calls it. */
        readonly id?: string;
        readonly text: string;
        readonly media?: readonly MediaPart[];
      }
    /** A subtask has ended or answered. */
    | {
        readonly kind: 'notice';
        readonly from: string;
        readonly text: string;
      }
    /** What the system tells the model. */
    | {
        readonly kind: 'note';
        readonly text: string;
      }
    /** A reply of the model. */
    | {
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
    | {
        readonly kind: 'step';
        readonly step: number;
        readonly status: 'done' | 'failed';
        readonly console: readonly string[];
        /** The value, as text, if there is something to show. */
        readonly value?: string;
        readonly error?: {
          readonly name: string;
          readonly message: string;
          readonly line?: number;
          readonly column?: number;
          readonly frame?: string;
        };
        /** What the program ended the job with, as text, if it called `exit` with something. */
        readonly exit?: string;
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
    /** A tool call that did not become a step: nothing to run was found. */
    | {
        readonly kind: 'result';
        readonly id: string;
        readonly name: string;
        readonly output: string;
      }
    /** Something was sent to the user. */
    | {
        readonly kind: 'sent';
        readonly text: string;
        readonly reply: number;
        /** It may not have arrived. */
        readonly error?: string;
      }
    /** Items up to one are shown as a summary; they stay as they are. */
    | {
        readonly kind: 'fold';
        readonly upTo: number;
        readonly text: string;
        /** What the text is made from, and what the next one goes on from. */
        readonly digest: {
          /** What it began with. */
          readonly opening: string;
          /** A line per turn, of the later ones. */
          readonly lines: readonly string[];
          /** Turns that have no line any more. */
          readonly dropped: number;
        };
      }
    /** The job went back to an older commit: items after one are not part of the conversation any more; they stay as they are. */
    | {
        readonly kind: 'rollback';
        readonly commit: string;
        /** The last item that still counts. */
        readonly after: number;
        /** What the model has to know of it; empty if there is nothing. */
        readonly text: string;
      }
  );

export type MessageItem = Extract<ChatItem, { readonly kind: 'message' }>;
export type NoticeItem = Extract<ChatItem, { readonly kind: 'notice' }>;
export type ReplyItem = Extract<ChatItem, { readonly kind: 'reply' }>;
export type StepItem = Extract<ChatItem, { readonly kind: 'step' }>;
export type FoldItem = Extract<ChatItem, { readonly kind: 'fold' }>;
export type RollbackItem = Extract<ChatItem, { readonly kind: 'rollback' }>;
export type StepFault = NonNullable<StepItem['error']>;
/** The conversation in short. */
export type Digest = FoldItem['digest'];

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
