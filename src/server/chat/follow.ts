// Follows a conversation: from the beginning of an answer, or from where a client was cut off, until a person is needed or the
// job is done. It reads the store and hears the pieces of replies, so any process can serve any job; whoever stops reading stops
// nothing but their own stream.
import type { DeltaListener, Job } from '../../agents/door.ts';
import type { KitAccess } from '../access/kit-access.ts';
import { jsonOf } from '../json/values.ts';
import type { ChatEvent, ChatPosition, ChatRest } from './chat-event.ts';
import { Committed, type Entry, type Look } from './committed.ts';
import { boundaryOf, Transcript, type Boundary } from './transcript.ts';

/** Where a client begins. */
export type Start =
  /** With the last answer. */
  | { readonly kind: 'last' }
  /** With what answers a message, or follows the answer to a question. */
  | { readonly kind: 'message' | 'answer'; readonly id: string }
  /** After what was told, with what became of the calls that the client knows. */
  | {
      readonly kind: 'position';
      readonly position: ChatPosition;
      readonly calls: ReadonlyMap<string, 'open' | 'decided' | 'over'>;
    };

type Piece = readonly [delta: Parameters<DeltaListener>[0], turn: number];

/** A conversation as it is now. */
export class OpenConversation {
  readonly #committed: Committed;
  readonly #first: Look;
  readonly job: Job;

  static async of(job: Job): Promise<OpenConversation> {
    const committed = new Committed(job);
    return new OpenConversation(committed, await committed.look());
  }

  private constructor(committed: Committed, first: Look) {
    this.#committed = committed;
    this.#first = first;
    this.job = committed.job;
  }

  /** Nothing comes until somebody says, answers or decides something. */
  get isAtRest(): boolean {
    return this.rest !== undefined;
  }

  /** Why nothing comes for now, when it was opened. */
  get rest(): ChatRest | undefined {
    return restOf(this.job, this.#first);
  }

  /** How far it was read when it was opened. */
  get position(): ChatPosition {
    return this.#committed.position;
  }

  /** The answers so far, each with what began it; before the first message there is none. */
  async *answers(): AsyncGenerator<{ readonly boundary: Boundary | undefined; readonly events: ChatEvent[] }> {
    const transcript = new Transcript();
    transcript.learn(this.#first.activity);
    let boundary: Boundary | undefined;
    let events: ChatEvent[] = [];
    for (const entry of this.#first.entries) {
      for await (const event of transcript.entry(entry)) events.push(event);
      const next = boundaryOf(entry);
      if (next === undefined) continue;
      yield { boundary, events: [...events, { type: 'rest', rest: { reason: 'done' }, usage: transcript.usage }] };
      boundary = await withAnswer(entry, next);
      events = [];
      transcript.restart();
    }
    for await (const event of resultOf(this.job, transcript)) events.push(event);
    events.push({ type: 'position', position: this.#committed.position });
    const { rest } = this;
    if (rest !== undefined) events.push({ type: 'rest', rest, usage: transcript.usage });
    yield { boundary, events };
  }

  /** From where a client begins until the job is at rest. The first event says which answer it is. */
  async *follow(
    access: KitAccess,
    start: Start,
    signal: AbortSignal,
  ): AsyncGenerator<ChatEvent | { readonly type: 'begin'; readonly boundary: Boundary | undefined }> {
    const { job } = this;
    const transcript = new Transcript();
    const reader = new Reader(start);
    const pieces: Piece[] = [];
    const changes = new Changes();
    const stop = new AbortController();
    const end = (): void => stop.abort();
    signal.addEventListener('abort', end, { once: true });
    const silence = job.onDelta((delta, { turn, isWhole }) => {
      // The rest of a reply whose beginning was missed is shown when it is committed.
      if (!isWhole) return;
      addPiece(pieces, delta, turn);
      changes.wake();
    });
    // From before the first look on: what was committed meanwhile only causes another look.
    void changes.follow(access.events({ job: job.id, since: 0, signal: stop.signal }));
    try {
      let look: Look | undefined = this.#first;
      let known = '';
      /** What was committed before this turn was looked at, so its pieces can be shown. */
      let lookedBefore = 0;
      for (;;) {
        if (look !== undefined) {
          transcript.learn(look.activity);
          if (reader.beginsWith(look)) yield { type: 'begin', boundary: undefined };
          for (const entry of look.entries) {
            const isShown = reader.shows(entry);
            for await (const event of transcript.entry(entry)) if (isShown) yield event;
            if (entry.kind === 'item' && entry.item.kind === 'rollback' && isShown) {
              yield { type: 'rest', rest: { reason: 'rollback', commit: entry.item.commit }, usage: transcript.usage };
              return;
            }
            const boundary = boundaryOf(entry);
            if (boundary === undefined) continue;
            if (reader.beginsAt(entry, boundary)) {
              transcript.restart();
              yield { type: 'begin', boundary: await withAnswer(entry, boundary) };
            } else if (reader.isFromOthers(entry, boundary)) {
              const { id, text, files } = boundary;
              yield { type: 'said', id, text, files };
            }
          }
          const rest = restOf(job, look);
          if (rest !== undefined && reader.begin()) yield { type: 'begin', boundary: undefined };
          const { position } = this.#committed;
          if (reader.isBegun && known !== JSON.stringify(position)) {
            known = JSON.stringify(position);
            yield { type: 'position', position };
          }
          if (rest !== undefined) {
            for await (const event of resultOf(job, transcript)) yield event;
            yield { type: 'rest', rest, usage: transcript.usage };
            return;
          }
        }
        yield* takePieces(pieces, transcript, reader.isBegun ? lookedBefore : 0);
        await changes.next();
        if (changes.isOver) return;
        // A reply may be heard before the step that it follows was seen.
        const turn = Math.max(lookedBefore, ...pieces.map(([, of]) => of));
        look = changes.take() || turn > lookedBefore ? await this.#committed.look() : undefined;
        if (look !== undefined) lookedBefore = turn;
        if (pieces.some(([, of]) => of > turn)) changes.wake();
      }
    } finally {
      silence();
      signal.removeEventListener('abort', end);
      stop.abort();
    }
  }
}

/** Which entries a client is shown. */
class Reader {
  readonly #start: Start;
  #last: Entry | undefined;
  #hasItems = false;
  isBegun = false;

  constructor(start: Start) {
    this.#start = start;
  }

  /** Whether it begins now; it begins once. */
  begin(): boolean {
    const isNew = !this.isBegun;
    this.isBegun = true;
    return isNew;
  }

  /** Whether it begins with everything of a look. */
  beginsWith({ entries }: Look): boolean {
    if (this.isBegun) return false;
    this.#last = entries.findLast((entry) => boundaryOf(entry) !== undefined);
    this.#hasItems ||= entries.some(({ kind }) => kind === 'item');
    switch (this.#start.kind) {
      case 'position':
        return this.begin();
      case 'last':
        return this.#last === undefined && this.begin();
      case 'answer':
        return false;
      case 'message':
        // A program has no chat: what it asks for is all there is.
        return !this.#hasItems && entries.length > 0 && this.begin();
    }
  }

  /** Whether the answer that the client wants begins after this. */
  beginsAt(entry: Entry, { id }: Boundary): boolean {
    if (this.isBegun || this.#start.kind === 'position') return false;
    return (this.#start.kind === 'last' ? entry === this.#last : this.#start.id === id) && this.begin();
  }

  /** Whether somebody else has said it while the client was reading. */
  isFromOthers(entry: Entry, { id }: Boundary): boolean {
    const isOwn = this.#start.kind === 'message' && this.#start.id === id;
    return entry.kind === 'item' && !isOwn && this.shows(entry);
  }

  shows(entry: Entry): boolean {
    if (this.#start.kind !== 'position') return this.isBegun;
    const { position, calls } = this.#start;
    if (entry.kind === 'item') return entry.item.number > position.item;
    const state = calls.get(entry.future.id);
    if (state === undefined) return entry.future.number > position.future;
    return entry.kind === 'settled' ? state !== 'over' : entry.kind === 'decided' && state === 'open';
  }
}

/** Tells when something was committed or heard. */
class Changes {
  #isChanged = false;
  #isWoken = false;
  #resolve: (() => void) | undefined;
  #failure: { readonly error: Error } | undefined;
  /** Nothing is committed any more: the store was closed, or the reader has gone. */
  isOver = false;

  async follow(events: AsyncIterable<unknown>): Promise<void> {
    try {
      for await (const _event of events) {
        this.#isChanged = true;
        this.wake();
      }
    } catch (error) {
      this.#failure = { error: error as Error };
    }
    this.isOver = true;
    this.wake();
  }

  wake(): void {
    this.#isWoken = true;
    this.#resolve?.();
  }

  async next(): Promise<void> {
    if (!this.#isWoken) await new Promise<void>((resolve) => (this.#resolve = resolve));
    this.#isWoken = false;
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  take(): boolean {
    const isChanged = this.#isChanged;
    this.#isChanged = false;
    return isChanged;
  }
}

/** Why nothing more comes for now; undefined while something may. */
function restOf(job: Job, { activity, isForPeople }: Look): ChatRest | undefined {
  if (activity.status === 'DONE') {
    const text = job.error?.message ?? 'The job has no result.';
    if (job.outcome === 'completed') return { reason: 'done' };
    if (job.outcome === 'cancelled') return { reason: 'cancelled', text };
    return { reason: job.outcome === 'limit' ? 'limit' : 'failed', text };
  }
  if (job.paused) return { reason: 'paused' };
  return activity.status === 'SUSPENDED' && isForPeople ? { reason: 'waiting' } : undefined;
}

/** Of a job that no model answered for, its result is the answer. */
async function* resultOf(job: Job, transcript: Transcript): AsyncGenerator<ChatEvent> {
  if (transcript.hasReply || job.status !== 'DONE' || job.outcome !== 'completed') return;
  const result = jsonOf(await job.result());
  if (result === undefined || result === null) return;
  yield {
    type: 'text',
    part: 'result',
    text: typeof result === 'string' ? result : JSON.stringify(result),
    isFirst: true,
  };
  yield { type: 'text-end', part: 'result' };
}

async function withAnswer(entry: Entry, boundary: Boundary): Promise<Boundary> {
  if (entry.kind !== 'settled') return boundary;
  const value = jsonOf(await entry.future.output());
  return { ...boundary, text: typeof value === 'string' ? value : JSON.stringify(value ?? null) };
}

/** Pieces wait for a slow reader as one text per part, so they never take more than the reply itself. */
function addPiece(pieces: Piece[], delta: Piece[0], turn: number): void {
  const last = pieces.at(-1);
  const [before] = last ?? [];
  if (before === undefined || before.type === 'restart' || delta.type === 'restart' || last?.[1] !== turn)
    pieces.push([delta, turn]);
  else if (before.type === delta.type && (before.type !== 'tool-call' || before.id === (delta as { id?: string }).id))
    pieces[pieces.length - 1] = [{ ...before, text: before.text + delta.text }, turn];
  else pieces.push([delta, turn]);
}

/** Pieces of the turn that comes next; earlier ones are committed, and later ones wait for the commit before them. */
function* takePieces(pieces: Piece[], transcript: Transcript, lookedBefore: number): Generator<ChatEvent> {
  const later: Piece[] = [];
  for (const piece of pieces.splice(0)) {
    const [delta, turn] = piece;
    if (turn === transcript.nextTurn && turn <= lookedBefore) yield* transcript.piece(delta);
    else if (turn >= transcript.nextTurn) later.push(piece);
  }
  pieces.unshift(...later);
}
