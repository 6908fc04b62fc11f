// The loop of statek chat: reads a line, says it to the job, prints what becomes of it, and asks for what a person has to
// decide. The conversation is the job, so a page or another process may continue it at the same time.
import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import type { Job } from '../../agents/job.ts';
import type { Statek } from '../../kit/statek.ts';
import { EventHub } from '../../server/access/event-hub.ts';
import { KitAccess } from '../../server/access/kit-access.ts';
import { ownerOf } from '../../server/access/rights.ts';
import type { ChatEvent, ChatPosition, ChatRest } from '../../server/chat/chat-event.ts';
import { OpenConversation, type Start } from '../../server/chat/follow.ts';
import { decide, say, type Verdict } from '../../server/chat/talk.ts';
import { exitCodes } from '../line/exit-codes.ts';
import { harmless } from '../output/style.ts';
import { Lines } from '../repl/lines.ts';
import type { Session } from '../session.ts';
import { ChatPrinter } from './printer.ts';

/** The conversation: one that there is, or one that its first message begins. */
export interface ChatWith {
  readonly role: string;
  readonly id: string;
  readonly job: Job | undefined;
}

/** Returns 1 if the job failed and nobody is at a terminal to see it. */
export async function runChat(session: Session, kit: Statek, chat: ChatWith): Promise<number> {
  return new Chat(session, kit, chat).run();
}

interface Wait {
  readonly id: string;
  readonly text: string;
}

class Chat {
  readonly #session: Session;
  readonly #access: KitAccess;
  readonly #chat: ChatWith;
  readonly #printer: ChatPrinter;
  readonly #isTerminal: boolean;
  readonly #own = new Set<string>();
  readonly #lines: Lines;
  #job: Job | undefined;
  #position: ChatPosition | undefined;
  /** Futures that are open as far as was shown. */
  #open: ReadonlyMap<string, 'open'> = new Map();
  #rest: ChatRest | undefined;
  /** The turn that is followed; ^C stops it. */
  #turn: { readonly stop: AbortController; isStopping: boolean } | undefined;

  constructor(session: Session, kit: Statek, chat: ChatWith) {
    this.#session = session;
    this.#access = new KitAccess(kit, new EventHub(kit), ownerOf(userName()));
    this.#chat = chat;
    this.#job = chat.job;
    this.#printer = new ChatPrinter(session.out);
    const input = session.input ?? process.stdin;
    this.#isTerminal = input.isTTY === true && session.out.isTerminal && !session.out.isJson;
    this.#lines = new Lines({
      input: input as NodeJS.ReadStream,
      output: process.stdout,
      isTerminal: this.#isTerminal,
      history: [],
      onInterrupt: () => this.#onInterrupt(),
    });
  }

  async run(): Promise<number> {
    const { out } = this.#session;
    const { id, role } = this.#chat;
    try {
      if (this.#isTerminal) out.note(`${harmless(role)}, job ${harmless(id)}. ^C stops an answer; ^D leaves.`);
      if (this.#job !== undefined) await this.#follow(await this.#lastAnswer(this.#job));
      for (;;) {
        if ((await this.#decisions()) === 'end of input') break;
        const line = await this.#session.unlessInterrupted(this.#lines.next('> '));
        if (line === undefined) break;
        if (line.trim() !== '') await this.#say(line);
      }
    } finally {
      this.#lines.close();
      if (this.#job !== undefined) out.note(`To continue: statek chat ${harmless(id)}`);
    }
    const hasFailed = this.#rest?.reason === 'failed' || this.#rest?.reason === 'limit';
    return hasFailed && !this.#isTerminal ? exitCodes.failed : exitCodes.ok;
  }

  /** ^C stops the answer; if there is none, or it does not stop, it leaves. */
  #onInterrupt(): void {
    const turn = this.#turn;
    if (turn === undefined || turn.isStopping) {
      turn?.stop.abort();
      this.#lines.close();
      return;
    }
    turn.isStopping = true;
    this.#access
      .job(this.#chat.id, 'control')
      .then((job) => job.cancel('Stopped in the chat.'))
      .catch((error: unknown) => this.#session.out.note(harmless((error as Error).message)));
  }

  async #say(text: string): Promise<void> {
    const { role, id } = this.#chat;
    const key = randomUUID();
    this.#own.add(key);
    const { job, start } = await say(this.#access, role, id, { id: key, text, media: [] });
    const isFirst = this.#position === undefined;
    this.#job = job;
    await this.#follow(isFirst ? start : this.#since());
  }

  /** From what was shown, so that what others have said meanwhile is shown, too. */
  #since(): Start {
    return { kind: 'position', position: this.#position ?? { item: 0, future: -1 }, calls: this.#open };
  }

  /** Shows the last answer of a conversation that is continued, with what it answers. */
  async #lastAnswer(job: Job): Promise<Start> {
    const open = await OpenConversation.of(job);
    let last: string | undefined;
    for await (const { boundary } of open.answers()) last = boundary?.text;
    if (last !== undefined && last !== '' && !this.#session.out.isJson) this.#printer.line(`> ${harmless(last)}`);
    return { kind: 'last' };
  }

  async #follow(start: Start): Promise<void> {
    const job = this.#job;
    if (job === undefined) return;
    const turn = { stop: new AbortController(), isStopping: false };
    this.#turn = turn;
    const stop = (): void => turn.stop.abort();
    this.#session.signal.addEventListener('abort', stop, { once: true });
    try {
      const open = await OpenConversation.of(await this.#access.job(job.id, 'read'));
      this.#job = open.job;
      for await (const event of open.follow(this.#access, start, turn.stop.signal)) {
        if (event.type === 'begin') continue;
        await this.#show(event, open.job);
      }
    } finally {
      this.#turn = undefined;
      this.#session.signal.removeEventListener('abort', stop);
    }
    if (this.#session.signal.aborted) throw this.#session.signal.reason as Error;
  }

  async #show(event: ChatEvent, job: Job): Promise<void> {
    const { out } = this.#session;
    if (event.type === 'position') this.#position = event.position;
    const isOwn = event.type === 'said' && this.#own.has(event.id);
    if (event.type === 'rest') {
      this.#rest = event.rest;
      const waiting = job.status === 'DONE' ? [] : await job.waiting();
      this.#open = new Map(waiting.map(({ id }) => [id, 'open']));
    }
    if (isOwn) return;
    if (out.isJson) out.jsonLine(event);
    else this.#printer.show(event);
  }

  /** Asks for what a person has to decide, one after the other; only a yes approves. */
  async #decisions(): Promise<'done' | 'end of input'> {
    const { out } = this.#session;
    while (this.#job !== undefined && this.#rest?.reason === 'waiting') {
      const wait = (await this.#job.waiting()).find(({ kind, undecided }) => kind !== 'ask' && undecided);
      if (wait === undefined) return 'done';
      const verdict = await this.#verdict(wait);
      if (verdict === undefined) return 'end of input';
      await decide(this.#access, this.#job, [verdict]);
      if (out.isJson) out.jsonLine({ type: 'verdict', ...verdict });
      await this.#follow(this.#since());
    }
    return 'done';
  }

  async #verdict({ id, text }: Wait): Promise<Verdict | undefined> {
    const { out } = this.#session;
    if (out.isJson) out.jsonLine({ type: 'decide', id, text });
    for (;;) {
      if (!out.isJson) this.#printer.line(out.style.yellow(`Approve? ${harmless(text)}`));
      const line = await this.#session.unlessInterrupted(this.#lines.next('yes, or no and why: '));
      if (line === undefined) return undefined;
      if (/^\s*y(?:es)?\s*$/i.test(line)) return { id, approved: true };
      const denied = /^\s*no?\b[\s,:.]*(.*)$/i.exec(line);
      if (denied !== null) return { id, approved: false, ...(denied[1] === '' ? {} : { comment: denied[1] }) };
      out.note('Type yes or no.');
    }
  }
}

/** Who decides is who is at the terminal. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'terminal';
  }
}
