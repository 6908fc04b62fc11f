// The conversation as the UI message stream of the AI SDK, which `useChat` and assistant-ui read.
import type { UIMessage, UIMessageChunk } from 'ai';
import { RequestError } from '../http/problem.ts';
import type { ChatEvent, ChatFile, ChatPosition } from './chat-event.ts';
import type { OpenConversation } from './follow.ts';
import type { Boundary } from './transcript.ts';

/** What a message of ours says about itself, as its `metadata.statek`. */
export interface ChatMetadata {
  readonly statek: {
    readonly job: string;
    /** Everything up to here is in the message. */
    readonly position?: ChatPosition;
    readonly usage?: unknown;
    /** Why the message ended: `done`, `waiting`, `paused`, `cancelled`, `failed`, `limit`, `rollback`. */
    readonly rest?: string;
  };
}

/** The header that tells clients which protocol it is. */
export const uiStreamHeaders = { 'x-vercel-ai-ui-message-stream': 'v1' };

/** The id of the message that answers something. */
export function answerId(boundary: Boundary | undefined): string {
  return boundary === undefined ? 'first-answer' : `answer-to-${boundary.id}`;
}

/** Writes the events of one message as chunks. */
export class ChunkWriter {
  readonly #job: string;
  #isInStep = false;

  constructor(job: string) {
    this.#job = job;
  }

  start(messageId: string): UIMessageChunk[] {
    return [{ type: 'start', messageId, messageMetadata: this.#metadata({}) }];
  }

  chunks(event: ChatEvent): UIMessageChunk[] {
    switch (event.type) {
      case 'turn':
        return [...this.#endStep(), ...this.#beginStep()];
      case 'reset':
        return [{ type: 'reset-step' }];
      case 'text':
      case 'reasoning': {
        const { type, part: id, text: delta } = event;
        return [
          ...this.#beginStep(),
          ...(event.isFirst ? [{ type: `${type}-start` as const, id, providerMetadata: mark(false) }] : []),
          { type: `${type}-delta`, id, delta },
        ];
      }
      case 'text-end':
      case 'reasoning-end':
        return [{ type: event.type, id: event.part, providerMetadata: mark(true) }];
      case 'call-text': {
        const { call: toolCallId, name: toolName, text } = event;
        const start = {
          type: 'tool-input-start' as const,
          toolCallId,
          toolName,
          dynamic: true,
          providerExecuted: true,
        };
        return [
          ...this.#beginStep(),
          ...(event.isFirst ? [start] : []),
          { type: 'tool-input-delta', toolCallId, inputTextDelta: text },
        ];
      }
      case 'call':
        return [
          ...this.#beginStep(),
          {
            type: 'tool-input-available',
            toolCallId: event.call,
            toolName: event.name,
            input: event.input,
            dynamic: true,
            // A question is for the page to answer; everything else is done here.
            ...(event.by === 'server' ? { providerExecuted: true } : {}),
          },
        ];
      case 'approval':
        return [{ type: 'tool-approval-request', approvalId: event.id, toolCallId: event.call, reason: event.text }];
      case 'decided':
        return [
          {
            type: 'tool-approval-response',
            approvalId: event.id,
            approved: event.approved,
            ...(event.comment === undefined ? {} : { reason: event.comment }),
          },
        ];
      case 'output':
        return [{ type: 'tool-output-available', toolCallId: event.call, output: event.output, dynamic: true }];
      case 'failed':
        return [{ type: 'tool-output-error', toolCallId: event.call, errorText: event.error, dynamic: true }];
      case 'denied':
        return [{ type: 'tool-output-denied', toolCallId: event.call }];
      case 'file':
        return [{ type: 'file', url: event.file.url, mediaType: event.file.mediaType }];
      case 'step':
        return [{ type: 'data-step', id: `step-${event.number}`, data: event.step }];
      case 'notice':
        return [{ type: 'data-notice', id: `notice-${event.number}`, data: { from: event.from, text: event.text } }];
      case 'said':
        return [{ type: 'data-message', id: `message-${event.id}`, data: { id: event.id, text: event.text } }];
      case 'position':
        return [{ type: 'message-metadata', messageMetadata: this.#metadata({ position: event.position }) }];
      case 'rest':
        return this.#rest(event);
    }
  }

  #rest({ rest, usage }: Extract<ChatEvent, { type: 'rest' }>): UIMessageChunk[] {
    const messageMetadata = this.#metadata({ usage, rest: rest.reason });
    const end = this.#endStep();
    switch (rest.reason) {
      case 'done':
        return [...end, { type: 'finish', finishReason: 'stop', messageMetadata }];
      case 'waiting':
        return [...end, { type: 'finish', finishReason: 'tool-calls', messageMetadata }];
      case 'paused':
        return [...end, { type: 'finish', finishReason: 'other', messageMetadata }];
      case 'rollback':
        return [
          ...end,
          { type: 'data-rollback', data: { commit: rest.commit } },
          { type: 'finish', finishReason: 'other', messageMetadata },
        ];
      case 'cancelled':
        return [...end, { type: 'message-metadata', messageMetadata }, { type: 'abort', reason: rest.text }];
      case 'failed':
      case 'limit':
        return [...end, { type: 'message-metadata', messageMetadata }, { type: 'error', errorText: rest.text }];
    }
  }

  #metadata(more: Omit<ChatMetadata['statek'], 'job'>): ChatMetadata {
    return { statek: { job: this.#job, ...more } };
  }

  #beginStep(): UIMessageChunk[] {
    if (this.#isInStep) return [];
    this.#isInStep = true;
    return [{ type: 'start-step' }];
  }

  #endStep(): UIMessageChunk[] {
    if (!this.#isInStep) return [];
    this.#isInStep = false;
    return [{ type: 'finish-step' }];
  }
}

/** Text that streams may still be taken back; committed text stays. */
function mark(committed: boolean): { statek: { committed: boolean } } {
  return { statek: { committed } };
}

/** The whole conversation as messages, for a page that was loaded again. */
export async function uiMessages(conversation: OpenConversation): Promise<UIMessage[]> {
  const { readUIMessageStream } = await import('ai');
  const messages: UIMessage[] = [];
  for await (const { boundary, events } of conversation.answers()) {
    if (boundary !== undefined) messages.push(userMessage(boundary));
    const writer = new ChunkWriter(conversation.job.id);
    const chunks = [
      ...writer.start(answerId(boundary)),
      // An error ends a stream; in the past it is only a part of the message.
      ...events.flatMap((event) => writer.chunks(event)).filter(({ type }) => type !== 'error' && type !== 'abort'),
    ];
    let message: UIMessage | undefined;
    for await (const state of readUIMessageStream({ stream: ReadableStream.from(chunks) })) message = state;
    if (message !== undefined && message.parts.length > 0) messages.push(message);
  }
  return messages;
}

function userMessage({ id, text, files }: Boundary): UIMessage {
  return {
    id,
    role: 'user',
    parts: [
      ...files.map(({ url, mediaType, filename }) => ({
        type: 'file' as const,
        url,
        mediaType,
        ...(filename === undefined ? {} : { filename }),
      })),
      { type: 'text', text },
    ],
  };
}

/** A file of a message, as jobs are given it. */
export function mediaOf({ url, mediaType, filename }: ChatFile): Readonly<Record<string, string>> {
  const name = filename === undefined ? {} : { filename };
  if (url.startsWith('https://')) return { type: 'media', mediaType, url, ...name };
  const match = /^data:[^,]*;base64,([A-Za-z0-9+/=]*)$/.exec(url);
  if (match === null)
    throw new RequestError(400, 'INVALID_REQUEST', 'A file must be a data: URL in base64, or an https: URL.');
  return { type: 'media', mediaType, data: match[1] ?? '', ...name };
}
