// A conversation with a job as chat clients see it, in words of no protocol. Each protocol says the same in its own words.
import type { StepItem } from '../../agents/door.ts';

/** A file that belongs to a message: a URL, which may hold the bytes themselves. */
export interface ChatFile {
  readonly url: string;
  readonly mediaType: string;
  readonly filename?: string | undefined;
}

/** What the replies of an answer have used. */
export interface ChatUsage {
  readonly turns: number;
  readonly input: number;
  readonly output: number;
  readonly reasoning: number;
  /** US dollars, as far as prices are known. */
  readonly cost: number;
}

/** How far a conversation was told. */
export interface ChatPosition {
  /** The number of the last item of the chat. */
  readonly item: number;
  /** The number of the last thing that the program asked for. */
  readonly future: number;
}

/** Why nothing more comes for now. */
export type ChatRest =
  | { readonly reason: 'done' }
  /** A person has to answer or decide. */
  | { readonly reason: 'waiting' }
  | { readonly reason: 'paused' }
  | { readonly reason: 'cancelled'; readonly text: string }
  | { readonly reason: 'failed' | 'limit'; readonly text: string }
  /** The job went back to an older commit: read the conversation again. */
  | { readonly reason: 'rollback'; readonly commit: string };

export type ChatEvent =
  /** Somebody said something, or answered a question. */
  | { readonly type: 'said'; readonly id: string; readonly text: string; readonly files: readonly ChatFile[] }
  /** The model replies. */
  | { readonly type: 'turn'; readonly turn: number }
  /** Everything of the turn so far is taken back. */
  | { readonly type: 'reset' }
  /** A piece of a text. What is not committed may be taken back. */
  | { readonly type: 'text' | 'reasoning'; readonly part: string; readonly text: string; readonly isFirst: boolean }
  /** The text is complete and committed. */
  | { readonly type: 'text-end' | 'reasoning-end'; readonly part: string }
  /** A piece of the arguments of a call. */
  | {
      readonly type: 'call-text';
      readonly call: string;
      readonly name: string;
      readonly text: string;
      readonly isFirst: boolean;
    }
  /** A call of a tool, or a question to a person. */
  | {
      readonly type: 'call';
      readonly call: string;
      readonly name: string;
      readonly input: unknown;
      readonly by: 'server' | 'person';
    }
  | { readonly type: 'approval'; readonly call: string; readonly id: string; readonly text: string }
  | {
      readonly type: 'decided';
      readonly call: string;
      readonly id: string;
      readonly approved: boolean;
      readonly comment: string | undefined;
    }
  | { readonly type: 'output'; readonly call: string; readonly output: unknown }
  | { readonly type: 'failed'; readonly call: string; readonly error: string }
  | { readonly type: 'denied'; readonly call: string }
  | { readonly type: 'file'; readonly file: ChatFile }
  /** Code has run. */
  | {
      readonly type: 'step';
      readonly number: number;
      readonly step: Pick<StepItem, 'step' | 'status' | 'console' | 'value' | 'error' | 'commit'>;
    }
  | { readonly type: 'notice'; readonly number: number; readonly from: string; readonly text: string }
  /** Everything up to an item of the conversation, and up to a future of the program, was told. */
  | { readonly type: 'position'; readonly position: ChatPosition }
  | { readonly type: 'rest'; readonly rest: ChatRest; readonly usage: ChatUsage };
