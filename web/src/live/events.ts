// Everything that is committed to jobs, as it happens: one stream for the whole page. It heals by itself and continues where it
// was, so nothing is missed; while it is lost, the page says so.
import { signal } from '@preact/signals';
import { events } from '../../../src/server/client/events.ts';
import { ServerAnswerError } from '../../../src/server/client/error.ts';
import { address, headers, Refusal, send } from '../api/request.ts';
import type { JobEvent } from '../api/types.ts';

export type Connection = 'connecting' | 'live' | 'lost' | 'refused';

export const connection = signal<Connection>('connecting');

type Listener = (events: readonly JobEvent[]) => void;
const listeners = new Set<Listener>();
const healed = new Set<() => void>();

/** Called with what has happened since the last time; a burst of events comes together. */
export function onEvents(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Called when a lost connection is there again. */
export function onHealed(listener: () => void): () => void {
  healed.add(listener);
  return () => healed.delete(listener);
}

let waiting: JobEvent[] = [];

function hand(event: JobEvent): void {
  if (waiting.push(event) > 1) return;
  // One turn for all events of a burst: a page that draws for each of a thousand events does nothing else.
  setTimeout(() => {
    const burst = waiting;
    waiting = [];
    for (const listener of listeners) listener(burst);
  }, 16);
}

let stop: AbortController | undefined;

export function followEvents(): void {
  stop?.abort();
  stop = new AbortController();
  void follow(stop.signal);
}

async function follow(ended: AbortSignal): Promise<void> {
  try {
    for await (const event of events(connect, ended)) hand(event as JobEvent);
  } catch {
    if (!ended.aborted) connection.value = 'refused';
  }
}

async function connect(extra: Readonly<Record<string, string>>, ended: AbortSignal): Promise<Response> {
  const wasLost = extra['last-event-id'] !== undefined;
  if (wasLost || connection.value === 'lost') connection.value = 'lost';
  try {
    const response = await send(address('/events'), { headers: { ...headers(), ...extra }, signal: ended });
    const isBack = connection.value === 'lost';
    connection.value = 'live';
    if (isBack) for (const listener of healed) listener();
    return noticing(response);
  } catch (error) {
    if (!ended.aborted) connection.value = 'lost';
    // The stream stops trying only if it is told that the server refuses.
    if (error instanceof Refusal) throw new ServerAnswerError(error.message, { status: error.status });
    throw error;
  }
}

/** The same response, which tells at once when it breaks off. */
function noticing(response: Response): Response {
  const lost = (): void => {
    if (connection.value === 'live') connection.value = 'lost';
  };
  const body = response.body?.pipeThrough(new TransformStream<Uint8Array, Uint8Array>({ flush: lost }));
  return new Response(body ?? null, { status: response.status });
}
