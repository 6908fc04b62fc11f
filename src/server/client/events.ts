// Events of jobs from afar: whoever reads them sees each once and in order, however often the connection is lost.
import { ServerAnswerError } from './error.ts';

/** Which events. */
export interface ClientEventOptions {
  readonly job?: string | undefined;
  /** Only these kinds: `['done', 'suspended']`. */
  readonly kinds?: readonly string[] | undefined;
  /** After this revision; default: from now on. */
  readonly since?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Something that happened to a job. */
export interface ClientEvent {
  readonly job: string;
  readonly kind: string;
  readonly data: unknown;
  /** When, as an ISO time. */
  readonly time: string;
  readonly commit?: string | undefined;
  readonly number: number;
  readonly revision: number;
}

/** The server says every 15 seconds that it is still there. */
const silence = 45_000;
const shortestPause = 250;
const longestPause = 10_000;

type Connect = (headers: Readonly<Record<string, string>>, signal: AbortSignal) => Promise<Response>;

export async function* events(connect: Connect, signal: AbortSignal): AsyncGenerator<ClientEvent, void, undefined> {
  let last: string | undefined;
  let pause = shortestPause;
  const isOver = (): boolean => signal.aborted;
  while (!isOver()) {
    const connection = new Connection(signal);
    try {
      const response = await connect(last === undefined ? {} : { 'last-event-id': last }, connection.signal);
      for await (const { id, data } of blocksOf(response, () => connection.heard())) {
        pause = shortestPause;
        // Where it stands comes before the first event, so that nothing is missed if the connection is lost until then.
        last = id ?? last;
        if (data !== undefined) yield JSON.parse(data) as ClientEvent;
      }
    } catch (error) {
      if (isOver()) return;
      if (isFinal(error)) throw error;
    } finally {
      connection.close();
    }
    if (isOver()) return;
    await rest(pause, signal);
    pause = Math.min(2 * pause, longestPause);
  }
}

/** A request that ends with its reader, or when nothing was heard for long. */
class Connection {
  readonly #stop = new AbortController();
  readonly #outer: AbortSignal;
  readonly #end = (): void => this.#stop.abort();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(outer: AbortSignal) {
    this.#outer = outer;
    outer.addEventListener('abort', this.#end, { once: true });
    this.heard();
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  heard(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#end, silence);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#outer.removeEventListener('abort', this.#end);
    this.#stop.abort();
  }
}

/** The blocks of server-sent events. */
async function* blocksOf(
  response: Response,
  heard: () => void,
): AsyncGenerator<{ readonly id: string | undefined; readonly data: string | undefined }> {
  const reader = (response.body as ReadableStream<Uint8Array> | null)?.getReader();
  if (reader === undefined) return;
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    // A block without its end was cut off, and comes again.
    if (done) return;
    heard();
    text += decoder.decode(value, { stream: true });
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const block = text.slice(0, end);
      text = text.slice(end + 2);
      yield { id: /^id: (.*)$/m.exec(block)?.[1], data: /^data: (.*)$/m.exec(block)?.[1] };
    }
  }
}

/** What another try would not change. */
function isFinal(error: unknown): boolean {
  if (!(error instanceof ServerAnswerError)) return false;
  const { status } = error.details as { readonly status: number };
  return status < 500 && status !== 408 && status !== 429;
}

function rest(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done);
  });
}
