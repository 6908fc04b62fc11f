// What happens in a session, as events for those who show it: commits from the change feed, and interim text.
import type { ChangeSet } from '../../store/door.ts';
import type { Place } from '../foundation/place.ts';
import type { InterimText, InterimTexts } from './interim.ts';
import type { AudioSession, SpeechEvent, SttState, TtsState, Utterance } from './records.ts';
import { inputRows, outputRows, segmentRows, sessionRows, utteranceRows } from './rows.ts';
import { segmentOf } from './views.ts';

export interface WatchedSession {
  readonly place: Place;
  readonly sessionId: string;
  readonly since: number | undefined;
  readonly signal: AbortSignal;
  readonly interim: InterimTexts;
  readonly speech: {
    getSession(sessionId: string): Promise<AudioSession | undefined>;
    getSttState(sessionId: string): Promise<SttState>;
    getTtsState(sessionId: string): Promise<TtsState>;
    getUtterance(sessionId: string, utteranceId: number): Promise<Utterance | undefined>;
  };
}

/** Interim text that nobody takes is replaced by the latest. */
const maxInterim = 100;

export async function* speechEvents(watched: WatchedSession): AsyncGenerator<SpeechEvent, void, undefined> {
  const { place, sessionId, signal, interim } = watched;
  const store = await place.store();
  const since = watched.since ?? (await store.revision());
  const stop = new AbortController();
  const following = store.follow({
    collections: [sessionRows, inputRows, outputRows, utteranceRows, segmentRows],
    range: { prefix: [place.prefix, sessionId] },
    since,
    signal: AbortSignal.any([signal, stop.signal]),
  });
  const changes = following[Symbol.asyncIterator]();
  const texts: InterimText[] = [];
  let woken: () => void = () => undefined;
  const unlisten = await interim.listen(sessionId, (text) => {
    texts.push(text);
    if (texts.length > maxInterim) texts.shift();
    woken();
  });
  try {
    let next = changes.next();
    for (;;) {
      const heard = new Promise<'interim'>((resolve) => {
        woken = () => resolve('interim');
        if (texts.length > 0) woken();
      });
      const result = await Promise.race([next, heard]);
      if (result === 'interim') {
        for (const { speaker, text } of texts.splice(0)) yield { kind: 'interim', speaker, text };
        continue;
      }
      if (result.done === true) return;
      const events = await eventsOf(watched, result.value);
      yield* events;
      // Nothing follows the end.
      if (events.some((event) => event.kind === 'session' && event.session.endReason !== undefined)) return;
      next = changes.next();
    }
  } finally {
    unlisten();
    stop.abort();
    await changes.return?.();
  }
}

async function eventsOf({ place, sessionId, speech }: WatchedSession, set: ChangeSet): Promise<SpeechEvent[]> {
  const store = await place.store();
  const { revision } = set;
  const events: SpeechEvent[] = [];
  for (const { collection, key, kind } of set.changes) {
    if (kind !== 'put') continue;
    if (collection === segmentRows.name) {
      const [entry] = await store.read(segmentRows, [key]);
      if (entry !== undefined)
        events.push({ kind: 'segment', revision, segment: segmentOf(key[2] as number, entry.value) });
    } else if (collection === utteranceRows.name) {
      const utterance = await speech.getUtterance(sessionId, key[2] as number);
      if (utterance !== undefined) events.push({ kind: 'utterance', revision, utterance });
    } else if (collection === inputRows.name) {
      events.push({ kind: 'stt', revision, state: await speech.getSttState(sessionId) });
    } else if (collection === outputRows.name) {
      events.push({ kind: 'tts', revision, state: await speech.getTtsState(sessionId) });
    }
  }
  const isSession = set.changes.some(({ collection, kind }) => collection === sessionRows.name && kind === 'put');
  const session = isSession ? await speech.getSession(sessionId) : undefined;
  if (session !== undefined) events.push({ kind: 'session', revision, session });
  return events;
}
