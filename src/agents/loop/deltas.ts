// Pieces of replies on their way to whoever listens: in this process directly, in others as volatile messages of the store.
// A listener hears a run of pieces without gaps: what comes after a lost piece is not told until the reply begins anew.
import { randomUUID } from 'node:crypto';
import type { ModelDelta } from '../../models/door.ts';
import type { Store } from '../../store/door.ts';

/** Hears a piece of a reply, and the turn whose reply it is; once that reply is in `job.chat()`, its pieces have served their purpose. */
export type DeltaListener = (delta: ModelDelta, origin: { readonly turn: number }) => void;

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
  /** Replies that another one has replaced: a process that has lost the job may not know yet. */
  readonly replaced: Set<string>;
}

const maxReplaced = 16;

export class Deltas {
  readonly #store: Store;
  readonly #kit = randomUUID();
  readonly #jobs = new Map<string, Listened>();
  #replies = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  /** A model is asked; the function it returns is given the pieces of the reply. */
  begin(job: string, turn: number): (delta: ModelDelta) => void {
    const reply = this.#replies++;
    let number = 0;
    const publish = (content: { readonly delta?: ModelDelta }): void => {
      const piece: Piece = { kit: this.#kit, reply, turn, number: number++, ...content };
      this.#hear(job, piece);
      this.#store.volatile?.publish(channelOf(job), JSON.stringify(piece));
    };
    publish({});
    return (delta) => publish({ delta });
  }

  listen(job: string, listener: DeltaListener): () => void {
    const listened = this.#jobs.get(job) ?? this.#follow(job);
    const own: DeltaListener = (delta, origin) => listener(delta, origin);
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
    tell(job, listened, delta, { turn });
  }

  /** Another reply has begun. If a process has taken the job over in the middle of one, that one is taken back. */
  #replace(job: string, listened: Listened, { kit, reply, turn, number }: Piece): void {
    const { current, isBegun, replaced } = listened;
    if (current !== undefined) {
      replaced.add(nameOf(current));
      for (const oldest of replaced) if (replaced.size > maxReplaced) replaced.delete(oldest);
      if (isBegun && current.turn === turn && current.kit !== kit)
        tell(job, listened, { type: 'restart', reason: 'JOB_TAKEN_OVER' }, { turn });
    }
    listened.current = { kit, reply, turn };
    listened.next = number;
    listened.isBegun = false;
  }
}

function tell(job: string, { listeners }: Listened, delta: ModelDelta, origin: { readonly turn: number }): void {
  for (const listener of [...listeners]) {
    try {
      listener(delta, origin);
    } catch (error) {
      process.emitWarning(`A listener to the replies of '${job}' threw: ${String(error)}`, 'StatekWarning');
    }
  }
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
