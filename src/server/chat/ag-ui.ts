// The conversation as events of AG-UI, which CopilotKit and others read: a thread is a job, a run is one answer, what a person has
// to decide is an interrupt, and the state is the job's variables.
import { jsonOf } from '../json/values.ts';
import type { Job } from '../../agents/door.ts';
import type { ChatEvent } from './chat-event.ts';
import type { Boundary } from './transcript.ts';

/** An event as it is sent. */
export type AgUiEvent = { readonly type: string } & Readonly<Record<string, unknown>>;

/** A message of the thread, as clients keep it. */
interface AgUiMessage {
  readonly id: string;
  readonly role: 'user' | 'assistant' | 'reasoning' | 'tool';
  content?: string;
  readonly toolCallId?: string;
  readonly toolCalls?: { id: string; type: 'function'; function: { name: string; arguments: string } }[];
}

interface OpenPart {
  readonly id: string;
  readonly kind: 'text' | 'reasoning';
}

/** Writes the events of a run, and keeps the messages they make. */
export class AgUiWriter {
  readonly #thread: string;
  readonly #run: string;
  /** Messages, as clients have them after what was written. */
  #messages: AgUiMessage[];
  /** How many of them are committed; the rest may be taken back. */
  #committed: number;
  #open: OpenPart | undefined;
  readonly #calls = new Map<string, { text: string; isOver: boolean }>();
  /** Which call an approval belongs to. */
  readonly #callOf = new Map<string, string>();

  /** @param before the messages that the client has */
  constructor(thread: string, run: string, before: readonly unknown[] = []) {
    this.#thread = thread;
    this.#run = run;
    this.#messages = [...(before as readonly AgUiMessage[])];
    this.#committed = this.#messages.length;
  }

  get messages(): readonly unknown[] {
    return this.#messages;
  }

  start(): AgUiEvent {
    return { type: 'RUN_STARTED', threadId: this.#thread, runId: this.#run };
  }

  /** Somebody has said something that the client does not have. */
  said({ id, text }: Boundary): void {
    this.#messages.push({ id, role: 'user', content: text });
    this.#committed = this.#messages.length;
  }

  events(event: ChatEvent): AgUiEvent[] {
    switch (event.type) {
      case 'text':
      case 'reasoning':
        return this.#text(event);
      case 'text-end':
      case 'reasoning-end': {
        const ended = this.#open?.id === nameOf(event.part) ? this.#endPart() : [];
        this.#committed = this.#messages.length;
        return ended;
      }
      case 'reset':
        return this.#reset();
      case 'call-text':
        return [...this.#endPart(), ...this.#callText(event.call, event.name, event.text)];
      case 'call':
        return this.#call(event.call, event.name, event.input);
      case 'approval':
        this.#callOf.set(event.id, event.call);
        return [];
      case 'output':
        return this.#result(event.call, typeof event.output === 'string' ? event.output : JSON.stringify(event.output));
      case 'failed':
        return this.#result(event.call, `Error: ${event.error}`);
      case 'denied':
        return this.#result(event.call, 'Error: it was denied.');
      case 'step':
        return [custom('statek-step', event.step)];
      case 'notice':
        return [custom('statek-notice', { from: event.from, text: event.text })];
      case 'said':
        return [custom('statek-message', { id: event.id, text: event.text })];
      case 'file':
        return [custom('statek-file', event.file)];
      case 'decided':
      case 'position':
      case 'turn':
      case 'rest':
        return [];
    }
  }

  /** The end of the run. */
  async finish({ rest, usage }: Extract<ChatEvent, { type: 'rest' }>, job: Job): Promise<AgUiEvent[]> {
    const end = this.#endPart();
    if (rest.reason === 'failed' || rest.reason === 'limit')
      return [...end, { type: 'RUN_ERROR', message: rest.text, code: rest.reason.toUpperCase() }];
    const finished = {
      type: 'RUN_FINISHED',
      threadId: this.#thread,
      runId: this.#run,
      metadata: { statek: { usage } },
    };
    if (rest.reason === 'waiting')
      return [...end, { ...finished, outcome: { type: 'interrupt', interrupts: await this.#interrupts(job) } }];
    if (rest.reason === 'cancelled') return [...end, { ...finished, outcome: { type: 'cancelled' } }];
    const told = rest.reason === 'done' ? [] : [custom(`statek-${rest.reason}`, { ...rest })];
    return [...end, ...told, { ...finished, outcome: { type: 'success' } }];
  }

  async #interrupts(job: Job): Promise<unknown[]> {
    return (await job.waiting()).flatMap(({ id, kind, undecided, text, question, due }) => {
      if (kind !== 'ask' && !undecided) return [];
      const toolCallId = this.#callOf.get(id) ?? id;
      const isKnown = this.#calls.has(toolCallId);
      return [
        {
          id,
          reason: kind === 'ask' ? 'input_required' : 'tool_call',
          message: kind === 'ask' ? (question ?? text) : text,
          ...(isKnown ? { toolCallId } : {}),
          responseSchema:
            kind === 'ask'
              ? {}
              : {
                  type: 'object',
                  properties: { approved: { type: 'boolean' }, comment: { type: 'string' } },
                  required: ['approved'],
                },
          ...(due === undefined ? {} : { expiresAt: due.toISOString() }),
        },
      ];
    });
  }

  #text({ type, part, text, isFirst }: Extract<ChatEvent, { type: 'text' | 'reasoning' }>): AgUiEvent[] {
    const id = nameOf(part);
    const events: AgUiEvent[] = [];
    if (isFirst) {
      events.push(...this.#endPart());
      this.#open = { id, kind: type };
      this.#messages.push({ id, role: type === 'text' ? 'assistant' : 'reasoning', content: '' });
      if (type === 'text') events.push({ type: 'TEXT_MESSAGE_START', messageId: id, role: 'assistant' });
      else
        events.push(
          { type: 'REASONING_START', messageId: id },
          { type: 'REASONING_MESSAGE_START', messageId: id, role: 'reasoning' },
        );
    }
    const message = this.#messages.find((one) => one.id === id);
    if (message !== undefined) message.content = `${message.content ?? ''}${text}`;
    const kind = type === 'text' ? 'TEXT_MESSAGE_CONTENT' : 'REASONING_MESSAGE_CONTENT';
    return text === '' ? events : [...events, { type: kind, messageId: id, delta: text }];
  }

  #endPart(): AgUiEvent[] {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) return [];
    if (open.kind === 'text') return [{ type: 'TEXT_MESSAGE_END', messageId: open.id }];
    return [
      { type: 'REASONING_MESSAGE_END', messageId: open.id },
      { type: 'REASONING_END', messageId: open.id },
    ];
  }

  /** There is no event that takes a message back, so the messages that stand are sent. */
  #reset(): AgUiEvent[] {
    const end = this.#endPart();
    for (const [call, { isOver }] of this.#calls)
      if (!isOver) {
        end.push({ type: 'TOOL_CALL_END', toolCallId: call });
        this.#calls.delete(call);
      }
    this.#messages = this.#messages.slice(0, this.#committed);
    return [...end, { type: 'MESSAGES_SNAPSHOT', messages: structuredClone(this.#messages) }];
  }

  #callText(call: string, name: string, text: string): AgUiEvent[] {
    const known = this.#calls.get(call);
    const events: AgUiEvent[] = [];
    if (known === undefined) {
      this.#calls.set(call, { text, isOver: false });
      this.#messages.push({
        id: `call-${call}`,
        role: 'assistant',
        toolCalls: [{ id: call, type: 'function', function: { name, arguments: '' } }],
      });
      events.push({ type: 'TOOL_CALL_START', toolCallId: call, toolCallName: name, parentMessageId: `call-${call}` });
    } else known.text += text;
    const made = this.#messages.find(({ id }) => id === `call-${call}`)?.toolCalls?.[0];
    if (made !== undefined) made.function.arguments += text;
    return text === '' ? events : [...events, { type: 'TOOL_CALL_ARGS', toolCallId: call, delta: text }];
  }

  #call(call: string, name: string, input: unknown): AgUiEvent[] {
    const end = this.#endPart();
    const known = this.#calls.get(call);
    const text = known === undefined ? this.#callText(call, name, JSON.stringify(input ?? {})) : [];
    const now = this.#calls.get(call);
    if (now !== undefined) now.isOver = true;
    this.#committed = this.#messages.length;
    return [...end, ...text, { type: 'TOOL_CALL_END', toolCallId: call }];
  }

  #result(call: string, content: string): AgUiEvent[] {
    const messageId = `result-${call}`;
    this.#messages.push({ id: messageId, role: 'tool', toolCallId: call, content });
    this.#committed = this.#messages.length;
    return [...this.#endPart(), { type: 'TOOL_CALL_RESULT', messageId, toolCallId: call, content, role: 'tool' }];
  }
}

/** Parts are named after turns and items, which are counted in the whole thread. */
function nameOf(part: string): string {
  return `statek-${part}`;
}

function custom(name: string, value: unknown): AgUiEvent {
  return { type: 'CUSTOM', name, value };
}

/** The job's variables as the state of the thread: whole at first, and then what has changed. */
export class AgUiState {
  readonly #job: Job;
  #known: unknown;

  constructor(job: Job) {
    this.#job = job;
  }

  async snapshot(): Promise<AgUiEvent> {
    this.#known = await this.#read();
    return { type: 'STATE_SNAPSHOT', snapshot: this.#known };
  }

  async delta(): Promise<AgUiEvent[]> {
    const before = this.#known;
    this.#known = await this.#read();
    const delta = patchOf(before, this.#known);
    return delta.length === 0 ? [] : [{ type: 'STATE_DELTA', delta }];
  }

  async #read(): Promise<unknown> {
    return JSON.parse(
      JSON.stringify(jsonOf(await this.#job.locals({ items: 100, depth: 6, text: 20_000 }))),
    ) as unknown;
  }
}

type Operation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };

/** A JSON patch from one value to another. Lists are replaced as a whole. */
export function patchOf(before: unknown, after: unknown, path = ''): Operation[] {
  if (!isPlain(before) || !isPlain(after))
    return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ op: 'replace', path, value: after }];
  const operations: Operation[] = [];
  for (const name of Object.keys(before))
    if (!Object.hasOwn(after, name)) operations.push({ op: 'remove', path: `${path}/${escaped(name)}` });
  for (const [name, value] of Object.entries(after)) {
    const place = `${path}/${escaped(name)}`;
    if (Object.hasOwn(before, name)) operations.push(...patchOf(before[name], value, place));
    else operations.push({ op: 'add', path: place, value });
  }
  return operations;
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
