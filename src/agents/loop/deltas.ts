// Pieces of replies on their way to whoever listens: in this process directly, in others as volatile messages of the store.
// A listener hears a run of pieces without gaps: what comes after a lost piece is not told until the reply begins anew.
import { randomUUID } from 'node:crypto';
import type { ModelDelta } from '../../models/door.ts';
import type { Store } from '../../store/door.ts';

/** The reply a piece belongs to. */
export interface DeltaOrigin {
  /** The turn whose reply it is; once that reply is in `job.chat()`, its pieces have served their purpose. */
  readonly turn: number;
  /** Whoever listens has heard the reply from its beginning on. False: it had begun before, and its first pieces are missing. */
  readonly isWhole: boolean;
}

/** Hears a piece of a reply. One that listens while this process asks the model is told first what has come so far. */
export type DeltaListener = (delta: ModelDelta, origin: DeltaOrigin) => void;

/** A piece as it travels between processes. The first of a reply has no content: it says that the model is being asked. */
interface Piece {
  /** The process, or rather the kit in it, that asks the model. */
  readonly kit: string;
  /** Counts the replies of that kit. */
  readonly reply: number;
  readonly turn: number;
  /** Counts the pieces of the reply. */
  readonly number: number;
  readonly delta?: ModelDelta;
}

/** A job that is listened to, and the reply whose pieces are being told. */
interface Listened {
  readonly listeners: Set<DeltaListener>;
  readonly stop: () => void;
  current: Pick<Piece, 'kit' | 'reply' | 'turn'> | undefined;
  /** The number of the piece that comes next; undefined after a lost one. */
  next: number | undefined;
  /** Something of the current reply was told. */
  isBegun: boolean;
  /** The current reply was told from its beginning on: what has come of it so far, pieces of one kind as one. */
  soFar: ModelDelta[] | undefined;
  /** Replies that another one has replaced: a process that has lost the job may not know yet. */
  readonly replaced: Set<string>;
}

const maxReplaced = 16;

export class Deltas {
  readonly #store: Store;
  readonly #kit = randomUUID();
  readonly #jobs = new Map<string, Listened>();
  /** Replies that this process is being given, by job. */
  readonly #asked = new Map<string, { readonly reply: number; turn: number; next: number; soFar: ModelDelta[] }>();
  #replies = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  /** A model is asked; `tell` is given the pieces of the reply, `end` is called when there are no more. */
  begin(job: string, turn: number): { readonly tell: (delta: ModelDelta) => void; readonly end: () => void } {
    const reply = this.#replies++;
    const asked = { reply, turn, next: 0, soFar: [] as ModelDelta[] };
    this.#asked.set(job, asked);
    const publish = (content: { readonly delta?: ModelDelta }): void => {
      const piece: Piece = { kit: this.#kit, reply, turn, number: asked.next++, ...content };
      if (content.delta !== undefined) addTo(asked.soFar, content.delta);
      this.#hear(job, piece);
      this.#store.volatile?.publish(channelOf(job), JSON.stringify(piece));
    };
    publish({});
    return {
      tell: (delta) => publish({ delta }),
      end: () => {
        if (this.#asked.get(job) === asked) this.#asked.delete(job);
      },
    };
  }

  listen(job: string, listener: DeltaListener): () => void {
    const listened = this.#jobs.get(job) ?? this.#follow(job);
    const own: DeltaListener = (delta, origin) => listener(delta, origin);
    const asked = this.#asked.get(job);
    if (asked !== undefined && listened.soFar === undefined) {
      listened.current = { kit: this.#kit, reply: asked.reply, turn: asked.turn };
      listened.next = asked.next;
      listened.soFar = [...asked.soFar];
      listened.isBegun = asked.soFar.length > 0;
    }
    const { current, soFar = [] } = listened;
    if (current !== undefined && listened.next !== undefined)
      for (const delta of soFar) tell(job, [own], delta, { turn: current.turn, isWhole: true });
    listened.listeners.add(own);
    return () => {
      listened.listeners.delete(own);
      if (listened.listeners.size > 0 || this.#jobs.get(job) !== listened) return;
      this.#jobs.delete(job);
      listened.stop();
    };
  }

  /** Nobody hears anything any more. */
  close(): void {
    for (const { stop } of this.#jobs.values()) stop();
    this.#jobs.clear();
  }

  #follow(job: string): Listened {
    const stop = this.#store.volatile?.listen(channelOf(job), (message) => {
      const piece = pieceFrom(message);
      // Its own pieces were told when they came.
      if (piece !== undefined && piece.kit !== this.#kit) this.#hear(job, piece);
    });
    const listened: Listened = {
      listeners: new Set(),
      stop: stop ?? (() => undefined),
      current: undefined,
      next: undefined,
      isBegun: false,
      soFar: undefined,
      replaced: new Set(),
    };
    this.#jobs.set(job, listened);
    return listened;
  }

  #hear(job: string, piece: Piece): void {
    const listened = this.#jobs.get(job);
    if (listened === undefined || listened.replaced.has(nameOf(piece))) return;
    if (listened.current === undefined || nameOf(listened.current) !== nameOf(piece))
      this.#replace(job, listened, piece);
    const { number, turn, delta } = piece;
    // A restart takes everything back, so what was lost before it does no harm.
    if (delta?.type !== 'restart' && number !== listened.next) {
      if (number > (listened.next ?? 0)) listened.next = undefined;
      return;
    }
    listened.next = number + 1;
    if (delta === undefined) return;
    listened.isBegun = true;
    // What was lost before a restart is taken back, too.
    if (delta.type === 'restart') listened.soFar = [];
    else if (listened.soFar !== undefined) addTo(listened.soFar, delta);
    tell(job, [...listened.listeners], delta, { turn, isWhole: listened.soFar !== undefined });
  }

  /** Another reply has begun. If a process has taken the job over in the middle of one, that one is taken back. */
  #replace(job: string, listened: Listened, { kit, reply, turn, number }: Piece): void {
    const { current, isBegun, replaced } = listened;
    if (current !== undefined) {
      replaced.add(nameOf(current));
      for (const oldest of replaced) if (replaced.size > maxReplaced) replaced.delete(oldest);
      if (isBegun && current.turn === turn && current.kit !== kit)
        tell(
          job,
          [...listened.listeners],
          { type: 'restart', reason: 'JOB_TAKEN_OVER' },
          { turn, isWhole: number === 0 },
        );
    }
    listened.current = { kit, reply, turn };
    listened.next = number;
    listened.isBegun = false;
    listened.soFar = number === 0 ? [] : undefined;
  }
}

function tell(job: string, listeners: readonly DeltaListener[], delta: ModelDelta, origin: DeltaOrigin): void {
  for (const listener of listeners) {
    try {
      listener(delta, origin);
    } catch (error) {
      process.emitWarning(`A listener to the replies of '${job}' threw: ${String(error)}`, 'StatekWarning');
    }
  }
}

/** Adds a piece to what has come before: pieces of one text become one. */
function addTo(soFar: ModelDelta[], delta: ModelDelta): void {
  const last = soFar.at(-1);
  if (delta.type === 'restart') soFar.length = 0;
  else if (last === undefined || last.type === 'restart' || !isSameText(last, delta)) soFar.push(delta);
  else soFar[soFar.length - 1] = { ...last, text: last.text + delta.text };
}

function isSameText(last: ModelDelta, next: ModelDelta): boolean {
  return last.type === next.type && (last.type !== 'tool-call' || (next.type === 'tool-call' && last.id === next.id));
}

function channelOf(job: string): string {
  return `replies of ${job}`;
}

function nameOf({ kit, reply }: Pick<Piece, 'kit' | 'reply'>): string {
  return `${kit} ${reply}`;
}

/** Undefined if it is not a piece of a reply: other versions, and whoever can reach the store, may send anything. */
function pieceFrom(message: string): Piece | undefined {
  try {
    const piece = JSON.parse(message) as Piece | null;
    const { kit, reply, turn, number, delta } = piece ?? {};
    const isPiece = typeof kit === 'string' && [reply, turn, number].every(Number.isSafeInteger);
    return isPiece && (delta === undefined || isDelta(delta)) ? (piece as Piece) : undefined;
  } catch {
    return undefined;
  }
}

function isDelta(delta: unknown): delta is ModelDelta {
  const { type, text, id, name, reason } = (delta ?? {}) as Partial<Record<string, unknown>>;
  switch (type) {
    case 'text':
    case 'reasoning':
      return typeof text === 'string';
    case 'tool-call':
      return [text, id, name].every((part) => typeof part === 'string');
    case 'restart':
      return typeof reason === 'string';
    default:
      return false;
  }
}
