// Everything that is committed, as it happens: one stream for the whole page. It heals by itself and continues where it was, so
// no event of a job is missed; while it is lost, the page says so.
import { signal } from '@preact/signals';
import { events } from '../../../src/server/client/events.ts';
import { ServerAnswerError } from '../../../src/server/client/error.ts';
import { address, headers, Refusal, send } from '../api/request.ts';
import type { JobEvent, Notice } from '../api/types.ts';
import { Bursts } from './bursts.ts';

export type Connection = 'connecting' | 'live' | 'lost' | 'refused';

export const connection = signal<Connection>('connecting');

const jobEvents = new Bursts<JobEvent>();
const notices = new Bursts<Notice>();
const healed = new Set<() => void>();

/** Called with what has happened to jobs since the last time; a burst of events comes together. */
export function onEvents(listener: (events: readonly JobEvent[]) => void): () => void {
  return jobEvents.listen(listener);
}

/** Called when a job was deleted, or something has changed that belongs to no job. */
export function onNotices(listener: (notices: readonly Notice[]) => void): () => void {
  return notices.listen(listener);
}

/** Called when a lost connection is there again. */
export function onHealed(listener: () => void): () => void {
  healed.add(listener);
  return () => healed.delete(listener);
}

function hand(event: JobEvent | Notice): void {
  if ('revision' in event) jobEvents.add(event);
  else notices.add(event);
}

let stop: AbortController | undefined;

export function followEvents(): void {
  stop?.abort();
  stop = new AbortController();
  void follow(stop.signal);
}

async function follow(ended: AbortSignal): Promise<void> {
  try {
    for await (const event of events(connect, ended)) hand(event as JobEvent | Notice);
  } catch {
    if (!ended.aborted) connection.value = 'refused';
  }
}

async function connect(extra: Readonly<Record<string, string>>, ended: AbortSignal): Promise<Response> {
  const wasLost = extra['last-event-id'] !== undefined;
  if (wasLost || connection.value === 'lost') connection.value = 'lost';
  try {
    const url = address('/events', { notices: true });
    const response = await send(url, { headers: { ...headers(), ...extra }, signal: ended });
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
