// Sessions of speech: audio that comes in, what was understood of it, what is to be said and how much of it was heard. Chunks have
// numbers, final text is appended once, interim text is never stored, and nothing is accepted after the end.
import { randomUUID } from 'node:crypto';
import {
  mergeParts,
  type Check,
  type Collection,
  type Entry,
  type Key,
  type Store,
  type Write,
} from '../../store/door.ts';
import {
  StateArgumentError,
  StateConflictError,
  StateNotFoundError,
  StateTransitionError,
} from '../foundation/errors.ts';
import { Changes } from '../foundation/changes.ts';
import { checkedName } from '../foundation/names.ts';
import { once } from '../foundation/once.ts';
import { Place, placeKinds, type PlaceOptions } from '../foundation/place.ts';
import { subscribeTo, type EventOptions } from '../foundation/subscribing.ts';
import { removeRange } from '../foundation/remove-range.ts';
import { checkTransition, type Transitions } from '../foundation/transitions.ts';
import { checkArgument, checkGiven, is, type Kinds, required } from '../foundation/given.ts';
import { SpeechLateInputError, SpeechSessionEndedError } from './errors.ts';
import { speechEvents } from './events.ts';
import { InterimTexts } from './interim.ts';
import {
  AudioSessionStatus,
  StreamingMode,
  TranscriptionStatus,
  type AddedChunk,
  type AudioSession,
  type BargeIn,
  type NewAudioSession,
  type ReportedConversation,
  type ReportedStt,
  type ReportedTts,
  type SpeechEvent,
  type SttState,
  type Transcription,
  type TranscriptSegment,
  type TtsState,
  type Utterance,
  type VoiceConversationState,
} from './records.ts';
import {
  audioChunks,
  inputRows,
  noInput,
  noOutput,
  outputRows,
  segmentRows,
  sessionIndexRows,
  sessionRows,
  speechCollections,
  utteranceKeys,
  utteranceRows,
  type InputRow,
  type OutputRow,
  type SegmentRow,
  type SessionRow,
  type UtteranceRow,
} from './rows.ts';
import { isPlayed, segmentOf, sessionOf, sttOf, ttsOf, utteranceOf } from './views.ts';

/** Where sessions are kept. */
export type SpeechStateManagerOptions = PlaceOptions;

/** How far an utterance has been generated and played. Numbers never go down. */
export interface PlaybackProgress {
  readonly generatedBytes?: number | undefined;
  readonly playedBytes?: number | undefined;
  /** All of its audio was generated. */
  readonly isGenerated?: boolean | undefined;
}

/** What was heard before an interruption. */
export interface BargeInOptions {
  /** How much of the utterance was played until then. */
  readonly playedBytes?: number | undefined;
  /** What was heard of it. */
  readonly playedText?: string | undefined;
  readonly idempotencyKey?: string | undefined;
}

const maxListed = 1000;
/** More would be hours of speech. */
const maxQueued = 1000;
const maxGaps = 1000;
const sttKinds: Kinds<Omit<ReportedStt, 'sessionId'>> = {
  status: is.oneOf(TranscriptionStatus),
  audioReceivedBytes: is.count,
  transcriptionProgress: is.part,
  interimTranscript: is.text,
};
const ttsKinds: Kinds<Omit<ReportedTts, 'sessionId'>> = {
  textQueue: is.listOf(is.text),
  audioGeneratedBytes: is.count,
  audioPlayedBytes: is.count,
};
const transitions: Transitions<AudioSessionStatus> = {
  initializing: ['active', 'paused', 'error', 'ended'],
  active: ['paused', 'error', 'ended'],
  paused: ['active', 'error', 'ended'],
  error: ['active', 'ended'],
  ended: [],
};

/**
 * Sessions of speech to text and text to speech.
 *
 * @example
 * import { SpeechStateManager } from 'statek/state';
 *
 * const speech = new SpeechStateManager({ store: 'memory:' });
 * const sessionId = await speech.createSession({ config: { language: 'en-US' } });
 * await speech.updateSessionStatus(sessionId, 'active');
 * await speech.addTranscription(sessionId, { text: 'Hello', sequence: 0 });
 * const { utteranceId } = await speech.enqueueUtterance(sessionId, 'Hi! How can I help?');
 * await speech.playbackProgress(sessionId, utteranceId, { generatedBytes: 12_000, playedBytes: 8000 });
 * console.log((await speech.getTtsState(sessionId)).isSpeaking); // prints true
 * await speech.endSession(sessionId, 'user_ended');
 * await speech.close();
 */
export class SpeechStateManager {
  readonly #place: Place;
  readonly #changes: Changes;
  readonly #interim: InterimTexts;
  readonly #closing = new AbortController();

  constructor(options: SpeechStateManagerOptions = {}) {
    checkGiven('SpeechStateManager', options, placeKinds);
    this.#place = new Place('SpeechStateManager', options, speechCollections);
    this.#changes = new Changes(() => this.#place.store());
    this.#interim = new InterimTexts(this.#place);
  }

  /** Begins a session. Returns its id. */
  async createSession(session: NewAudioSession = {}): Promise<string> {
    checkGiven('createSession', session, {
      sessionId: is.name,
      sessionType: is.name,
      streamingMode: is.oneOf(StreamingMode),
      config: is.record,
      keepAudio: is.flag,
    });
    const {
      sessionId = randomUUID(),
      sessionType = 'voice_conversation',
      streamingMode: mode = 'bidirectional',
      config = {},
      keepAudio = false,
    } = session;
    const store = await this.#place.store();
    const { prefix, clock } = this.#place;
    const created = clock.now();
    const row: SessionRow = { type: sessionType, mode, config, keepAudio, created, status: 'initializing' };
    const [result] = await store.commit([
      {
        checks: [{ kind: 'absent', collection: sessionRows, key: [prefix, sessionId] }],
        writes: [
          { kind: 'put', collection: sessionRows, key: [prefix, sessionId], value: row },
          { kind: 'put', collection: sessionIndexRows, key: [prefix, created, sessionId], value: {} },
        ],
      },
    ]);
    if (result?.status !== 'committed')
      throw new StateConflictError(`createSession: there is a session '${sessionId}' already.`, { sessionId });
    return sessionId;
  }

  /** A session; undefined if there is none. */
  async getSession(sessionId: string): Promise<AudioSession | undefined> {
    checkedName('getSession', 'sessionId', sessionId);
    const store = await this.#place.store();
    const [entry] = await store.read(sessionRows, [[this.#place.prefix, sessionId]]);
    return entry && sessionOf(sessionId, entry.value);
  }

  /** Sessions, the latest first, page by page. */
  async listSessions(
    options: {
      readonly status?: AudioSessionStatus | undefined;
      readonly limit?: number | undefined;
      readonly cursor?: string | undefined;
    } = {},
  ): Promise<{ readonly sessions: readonly AudioSession[]; readonly cursor: string | undefined }> {
    checkGiven('listSessions', options, {
      status: is.oneOf(AudioSessionStatus),
      limit: is.whole(1, maxListed),
      cursor: is.text,
    });
    const { limit = 100 } = options;
    const store = await this.#place.store();
    const { prefix } = this.#place;
    const page = await store.scan(
      sessionIndexRows,
      { prefix: [prefix] },
      { reverse: true, limit, cursor: options.cursor },
    );
    const ids = page.entries.map(({ key }) => key[2] as string);
    const rows = await store.read(
      sessionRows,
      ids.map((id) => [prefix, id]),
    );
    const sessions = rows
      .flatMap((entry, index) => (entry === undefined ? [] : [sessionOf(ids[index] as string, entry.value)]))
      .filter(({ status }) => options.status === undefined || status === options.status);
    return { sessions, cursor: page.cursor };
  }

  /** Reports the status of a session. The end has a reason: use `endSession`. */
  async updateSessionStatus(
    sessionId: string,
    status: AudioSessionStatus,
    options: { readonly idempotencyKey?: string | undefined } = {},
  ): Promise<AudioSession> {
    checkGiven('updateSessionStatus', options, { idempotencyKey: is.reportKey });
    checkArgument('updateSessionStatus', 'the status', status, is.oneOf(AudioSessionStatus));
    if (status === AudioSessionStatus.ENDED)
      throw new StateArgumentError('updateSessionStatus: end a session with endSession and a reason.', { sessionId });
    await this.#change(sessionId, { ...options, contents: { status } }, ({ value }) => {
      checkTransition(`The session '${sessionId}'`, transitions, value.status, status);
      return Promise.resolve([this.#put(sessionRows, [sessionId], { ...value, status })]);
    });
    return (await this.getSession(sessionId)) as AudioSession;
  }

  /** Ends a session; from then on it accepts nothing. What is still to be said is dropped. */
  async endSession(sessionId: string, reason: string): Promise<AudioSession> {
    checkedName('endSession', 'reason', reason);
    const ended = await this.getSession(sessionId);
    if (ended?.endReason === reason) return ended;
    if (ended?.endReason !== undefined)
      throw new StateTransitionError(`The session '${sessionId}' has ended already: ${ended.endReason}.`, {
        sessionId,
        reason: ended.endReason,
      });
    await this.#change(sessionId, {}, async ({ value }, { store, now }) => {
      const { writes } = await this.#interrupt(store, sessionId, now, {});
      return [...writes, this.#put(sessionRows, [sessionId], { ...value, ended: { reason, time: now } })];
    });
    this.#interim.forget(sessionId);
    return (await this.getSession(sessionId)) as AudioSession;
  }

  /** Removes a session that has ended, with everything in it. */
  async deleteSession(sessionId: string): Promise<void> {
    const session = await this.getSession(sessionId);
    if (session === undefined) throw missing(sessionId);
    if (session.endReason === undefined)
      throw new StateTransitionError(`The session '${sessionId}' has not ended. End it first.`, { sessionId });
    const store = await this.#place.store();
    const { prefix } = this.#place;
    for (const collection of [audioChunks, segmentRows, utteranceKeys, utteranceRows, inputRows, outputRows] as const)
      await removeRange(store, collection, { prefix: [prefix, sessionId] });
    await store.commit([
      {
        writes: [
          { kind: 'remove', collection: sessionIndexRows, key: [prefix, session.createdAt.getTime(), sessionId] },
          { kind: 'remove', collection: sessionRows, key: [prefix, sessionId] },
        ],
      },
    ]);
  }

  /**
   * Adds a chunk of audio. Chunks are numbered from 0: one that came before is ignored, one whose place has passed is refused,
   * and if some were left out, the answer says which.
   */
  async addAudioChunk(
    sessionId: string,
    chunk: { readonly sequence: number; readonly audio: Uint8Array },
  ): Promise<AddedChunk> {
    checkGiven('addAudioChunk', chunk, {
      sequence: required(is.whole(0, Number.MAX_SAFE_INTEGER - 1)),
      audio: required(is.own((value) => value instanceof Uint8Array, 'a Uint8Array')),
    });
    const { sequence, audio } = chunk;
    let added: AddedChunk = { status: 'duplicate', sequence, gap: undefined };
    await this.#change(sessionId, {}, async ({ value: session }, { store }) => {
      const input = await this.#input(store, sessionId);
      const { next, gaps } = input.value;
      added = { status: 'duplicate', sequence, gap: undefined };
      if (sequence < next) {
        if (!gaps.some(({ from, to }) => sequence >= from && sequence <= to)) return undefined;
        throw new SpeechLateInputError(
          `addAudioChunk: chunk ${sequence} of the session '${sessionId}' comes too late; ${next} is the next one.`,
          { sessionId, sequence, next },
        );
      }
      const gap = sequence > next ? { from: next, to: sequence - 1 } : undefined;
      added = { status: 'accepted', sequence, gap };
      const value: InputRow = {
        ...input.value,
        next: sequence + 1,
        chunks: input.value.chunks + 1,
        bytes: input.value.bytes + audio.byteLength,
        gaps: gap === undefined ? gaps : [...gaps, gap].slice(-maxGaps),
      };
      return [
        this.#put(inputRows, [sessionId], value),
        ...(session.keepAudio ? [this.#put(audioChunks, [sessionId, sequence], audio)] : []),
      ];
    });
    return added;
  }

  /** The bytes of a chunk, if the session keeps them; undefined if there are none. */
  async getAudioChunk(sessionId: string, sequence: number): Promise<Uint8Array | undefined> {
    checkedName('getAudioChunk', 'sessionId', sessionId);
    checkArgument('getAudioChunk', 'the sequence', sequence, is.count);
    const store = await this.#place.store();
    const [entry] = await store.read(audioChunks, [[this.#place.prefix, sessionId, sequence]]);
    return entry?.value;
  }

  /**
   * What was understood. Final text is appended to the transcript, once for each `sequence` or idempotency key. Interim text goes
   * to whoever listens, replaces the interim text before it, and is not stored; then there is no segment to return.
   */
  async addTranscription(sessionId: string, transcription: Transcription): Promise<TranscriptSegment | undefined> {
    checkGiven('addTranscription', transcription, {
      text: required(is.text),
      speaker: is.name,
      isFinal: is.flag,
      sequence: is.count,
      idempotencyKey: is.reportKey,
      startMs: is.amount,
      endMs: is.amount,
      confidence: is.part,
    });
    const { text, speaker = 'user', isFinal = true, sequence, startMs, endMs, confidence } = transcription;
    if (!isFinal) {
      refuseEnded((await this.#known(await this.#place.store(), sessionId)).value, sessionId);
      await this.#interim.tell(sessionId, speaker, text);
      return undefined;
    }
    const idempotencyKey = transcription.idempotencyKey ?? (sequence === undefined ? undefined : `segment ${sequence}`);
    const segment = defined({ speaker, text, startMs, endMs, confidence });
    let appended: TranscriptSegment | undefined;
    await this.#change(sessionId, { idempotencyKey, contents: segment }, async (_session, { store, now }) => {
      const { writes, rows } = await this.#append(store, sessionId, now, [segment]);
      appended = rows[0];
      return writes;
    });
    await this.#interim.tell(sessionId, speaker, '');
    return appended;
  }

  /** Segments of the transcript, the oldest first. */
  async getTranscript(
    sessionId: string,
    options: { readonly limit?: number | undefined; readonly cursor?: string | undefined } = {},
  ): Promise<{ readonly segments: readonly TranscriptSegment[]; readonly cursor: string | undefined }> {
    checkedName('getTranscript', 'sessionId', sessionId);
    checkGiven('getTranscript', options, { limit: is.whole(1, maxListed), cursor: is.text });
    const { limit = 100 } = options;
    const store = await this.#place.store();
    const range = { prefix: [this.#place.prefix, sessionId] };
    const page = await store.scan(segmentRows, range, { limit, cursor: options.cursor });
    return { segments: page.entries.map(({ key, value }) => segmentOf(key[2] as number, value)), cursor: page.cursor };
  }

  /** Reports the state of speech to text. Interim text is told and not stored; bytes count only if no chunks are added. */
  async updateSttState(state: ReportedStt & { readonly idempotencyKey?: string | undefined }): Promise<SttState> {
    checkGiven('updateSttState', state, {
      ...sttKinds,
      sessionId: required(is.name),
      idempotencyKey: is.reportKey,
    });
    const { sessionId, interimTranscript, idempotencyKey, ...given } = state;
    const facts = defined(given);
    await this.#change(sessionId, { idempotencyKey, contents: facts }, async (_session, { store }) => {
      const { value } = await this.#input(store, sessionId);
      return [this.#put(inputRows, [sessionId], { ...value, reported: { ...value.reported, ...facts } })];
    });
    if (interimTranscript !== undefined) await this.#interim.tell(sessionId, 'user', interimTranscript);
    return this.getSttState(sessionId);
  }

  async getSttState(sessionId: string): Promise<SttState> {
    checkedName('getSttState', 'sessionId', sessionId);
    const store = await this.#place.store();
    await this.#known(store, sessionId);
    const { value } = await this.#input(store, sessionId);
    const last = await this.#lastSegment(store, sessionId);
    return sttOf(sessionId, value, await this.#interim.latest(sessionId), last === undefined ? 0 : last.number + 1);
  }

  /** Puts a text at the end of what is to be said. */
  async enqueueUtterance(
    sessionId: string,
    text: string,
    options: { readonly idempotencyKey?: string | undefined } = {},
  ): Promise<Utterance> {
    checkGiven('enqueueUtterance', options, { idempotencyKey: is.reportKey });
    checkArgument('enqueueUtterance', 'the text', text, is.text);
    if (text === '') throw new StateArgumentError('enqueueUtterance: the text is empty.');
    const { idempotencyKey } = options;
    let utteranceId = -1;
    const report = { idempotencyKey, contents: { text } };
    const isNew = await this.#change(sessionId, report, async (_session, { store, now }) => {
      const { value } = await this.#output(store, sessionId);
      if (value.next - value.head >= maxQueued)
        throw new StateArgumentError(`enqueueUtterance: ${maxQueued} utterances of '${sessionId}' wait already.`, {
          sessionId,
        });
      utteranceId = value.next;
      const row: UtteranceRow = { text, created: now, generated: 0, played: 0 };
      return [
        this.#put(outputRows, [sessionId], { ...value, next: value.next + 1 }),
        this.#put(utteranceRows, [sessionId, utteranceId], row),
        ...(idempotencyKey === undefined
          ? []
          : [this.#put(utteranceKeys, [sessionId, idempotencyKey], { utterance: utteranceId })]),
      ];
    });
    if (!isNew && idempotencyKey !== undefined) {
      const store = await this.#place.store();
      const [made] = await store.read(utteranceKeys, [[this.#place.prefix, sessionId, idempotencyKey]]);
      utteranceId = made?.value.utterance ?? utteranceId;
    }
    return (await this.getUtterance(sessionId, utteranceId)) as Utterance;
  }

  async getUtterance(sessionId: string, utteranceId: number): Promise<Utterance | undefined> {
    checkedName('getUtterance', 'sessionId', sessionId);
    checkArgument('getUtterance', 'utteranceId', utteranceId, is.count);
    const store = await this.#place.store();
    const [entry] = await store.read(utteranceRows, [[this.#place.prefix, sessionId, utteranceId]]);
    const { value } = await this.#output(store, sessionId);
    return entry && utteranceOf(utteranceId, entry.value, utteranceId === value.head);
  }

  /** Reports how far an utterance was generated and played. One that was played to its end enters the transcript. */
  async playbackProgress(sessionId: string, utteranceId: number, progress: PlaybackProgress): Promise<Utterance> {
    checkArgument('playbackProgress', 'utteranceId', utteranceId, is.count);
    checkGiven('playbackProgress', progress, {
      generatedBytes: is.count,
      playedBytes: is.count,
      isGenerated: is.flag,
    });
    const { generatedBytes = 0, playedBytes = 0, isGenerated = false } = progress;
    await this.#change(sessionId, {}, async (_session, { store, now }) => {
      const [entry] = await store.read(utteranceRows, [[this.#place.prefix, sessionId, utteranceId]]);
      if (entry === undefined)
        throw new StateNotFoundError(`The session '${sessionId}' has no utterance ${utteranceId}.`, { sessionId });
      const before = entry.value;
      if (before.interrupted !== undefined)
        throw new StateTransitionError(
          `Utterance ${utteranceId} of the session '${sessionId}' was ${before.interrupted}; nothing more is played of it.`,
          { sessionId, utteranceId },
        );
      const row: UtteranceRow = {
        ...before,
        generated: Math.max(before.generated, generatedBytes, playedBytes),
        played: Math.max(before.played, playedBytes),
        ...(isGenerated ? { isGenerated } : {}),
      };
      const write = this.#put(utteranceRows, [sessionId, utteranceId], row);
      if (isPlayed(before) || !isPlayed(row)) return [write];
      return [write, ...(await this.#advance(store, sessionId, now, utteranceId, row))];
    });
    return (await this.getUtterance(sessionId, utteranceId)) as Utterance;
  }

  /** The user interrupts: what is being said is cut, what waits is dropped. */
  async bargeIn(sessionId: string, options: BargeInOptions = {}): Promise<BargeIn> {
    checkGiven('bargeIn', options, { playedBytes: is.count, playedText: is.text, idempotencyKey: is.reportKey });
    const { idempotencyKey, ...heard } = options;
    let result: BargeIn = { cut: undefined, dropped: [] };
    await this.#change(sessionId, { idempotencyKey, contents: defined(heard) }, async (_session, { store, now }) => {
      const { writes, ...interrupted } = await this.#interrupt(store, sessionId, now, heard);
      result = interrupted;
      return writes.length === 0 ? undefined : writes;
    });
    return result;
  }

  /** Reports the state of text to speech that is done outside: it counts while no utterance is enqueued here. */
  async updateTtsState(state: ReportedTts & { readonly idempotencyKey?: string | undefined }): Promise<TtsState> {
    checkGiven('updateTtsState', state, {
      ...ttsKinds,
      sessionId: required(is.name),
      idempotencyKey: is.reportKey,
    });
    const { sessionId, idempotencyKey, ...given } = state;
    const facts = defined(given);
    await this.#change(sessionId, { idempotencyKey, contents: facts }, async (_session, { store }) => {
      const { value } = await this.#output(store, sessionId);
      return [this.#put(outputRows, [sessionId], { ...value, reported: { ...value.reported, ...facts } })];
    });
    return this.getTtsState(sessionId);
  }

  async getTtsState(sessionId: string): Promise<TtsState> {
    checkedName('getTtsState', 'sessionId', sessionId);
    const store = await this.#place.store();
    await this.#known(store, sessionId);
    const { value } = await this.#output(store, sessionId);
    const waiting = await this.#waiting(store, sessionId, value);
    return ttsOf(
      sessionId,
      value,
      waiting.map(([number, row]) => utteranceOf(number, row, number === waiting[0]?.[0])),
    );
  }

  /** Reports a whole conversation: segments that are not there yet are appended. */
  async updateConversationState(state: ReportedConversation): Promise<VoiceConversationState> {
    checkGiven('updateConversationState', state, {
      sessionId: required(is.name),
      transcript: is.listOf(is.object),
      sttState: is.object,
      ttsState: is.object,
    });
    // All of it is looked at before any of it is written.
    for (const segment of state.transcript ?? [])
      checkGiven('updateConversationState: a segment', segment, {
        role: required(is.name),
        content: required(is.text),
      });
    if (state.sttState !== undefined) checkGiven('updateConversationState: sttState', state.sttState, sttKinds);
    if (state.ttsState !== undefined) checkGiven('updateConversationState: ttsState', state.ttsState, ttsKinds);
    const { sessionId, transcript = [], sttState, ttsState } = state;
    await this.#change(sessionId, {}, async (_session, { store, now }) => {
      const last = await this.#lastSegment(store, sessionId);
      const known = last === undefined ? 0 : last.number + 1;
      const keys = transcript.slice(0, known).map((_, number) => [this.#place.prefix, sessionId, number]);
      for (const [number, entry] of (await store.read(segmentRows, keys)).entries()) {
        const { role, content } = transcript[number] as { role: string; content: string };
        if (entry?.value.speaker === role && entry.value.text === content) continue;
        throw new StateConflictError(
          `updateConversationState: segment ${number} of the session '${sessionId}' is another one. What was said does not change.`,
          { sessionId, number },
        );
      }
      const rest = transcript.slice(known).map(({ role, content }) => ({ speaker: role, text: content }));
      return rest.length === 0 ? undefined : (await this.#append(store, sessionId, now, rest)).writes;
    });
    if (sttState !== undefined) await this.updateSttState({ ...sttState, sessionId });
    if (ttsState !== undefined) await this.updateTtsState({ ...ttsState, sessionId });
    return this.getConversationState(sessionId);
  }

  async getConversationState(sessionId: string): Promise<VoiceConversationState> {
    checkedName('getConversationState', 'sessionId', sessionId);
    const store = await this.#place.store();
    const [sttState, ttsState] = await Promise.all([this.getSttState(sessionId), this.getTtsState(sessionId)]);
    const range = { prefix: [this.#place.prefix, sessionId] };
    const { entries } = await store.scan(segmentRows, range, { reverse: true, limit: 100 });
    const last = entries[0];
    return {
      sessionId,
      turnCount: last === undefined ? 0 : last.value.turn,
      currentSpeaker: ttsState.isSpeaking ? 'assistant' : last?.value.speaker,
      sttState,
      ttsState,
      transcript: entries.map(({ value }) => ({ role: value.speaker, content: value.text })).toReversed(),
      segments: last === undefined ? 0 : (last.key[2] as number) + 1,
    };
  }

  /** What happens in a session, until it ends or the signal is aborted. */
  events(
    sessionId: string,
    options: { readonly since?: number | undefined; readonly signal?: AbortSignal | undefined } = {},
  ): AsyncIterable<SpeechEvent> {
    checkedName('events', 'sessionId', sessionId);
    checkGiven('events', options, { since: is.count, signal: is.signal });
    const signals = [this.#closing.signal, ...(options.signal === undefined ? [] : [options.signal])];
    return speechEvents({
      place: this.#place,
      sessionId,
      since: options.since,
      signal: AbortSignal.any(signals),
      interim: this.#interim,
      speech: this,
    });
  }

  /** Calls back for each event of a session. Returns a function that stops. What the callback throws goes to `onError`. */
  subscribe(
    sessionId: string,
    callback: (event: SpeechEvent) => void | Promise<void>,
    options: EventOptions = {},
  ): () => void {
    checkedName('subscribe', 'sessionId', sessionId);
    return subscribeTo(
      () => this.#place.store(),
      (at) => this.events(sessionId, at),
      callback,
      options,
    );
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#interim.close();
    await this.#place.close();
  }

  /** One change of a session that has not ended. Returns false if its report was made before, or there was nothing to change. */
  #change(
    sessionId: string,
    { idempotencyKey, contents }: { readonly idempotencyKey?: string | undefined; readonly contents?: unknown },
    plan: (
      session: Entry<SessionRow>,
      at: { readonly store: Store; readonly now: number },
    ) => Promise<readonly Write[] | undefined>,
  ): Promise<boolean> {
    checkedName('speech', 'sessionId', sessionId);
    const { prefix, clock } = this.#place;
    return this.#changes.make(`The session '${sessionId}'`, async (store) => {
      const since = await store.revision();
      const session = await this.#known(store, sessionId);
      refuseEnded(session.value, sessionId);
      const now = clock.now();
      // Marks outlive a session that is deleted, and must not count for the next one of its name.
      const mark = await once(store, {
        prefix,
        scope: `speech ${sessionId} ${session.value.created}`,
        idempotencyKey,
        contents,
        time: now,
      });
      const writes = mark && (await plan(session, { store, now }));
      if (writes === undefined) return { value: false };
      const key = [prefix, sessionId];
      const checks: Check[] = [
        { kind: 'revision', collection: sessionRows, key, revision: session.revision },
        // Whatever the plan has read of the session is as it was.
        ...[inputRows, outputRows, utteranceRows, segmentRows].map((collection): Check => ({
          kind: 'unchanged',
          collection,
          range: { prefix: key },
          since,
        })),
      ];
      return { value: true, part: mergeParts(mark, { checks, writes }) };
    });
  }

  async #known(store: Store, sessionId: string): Promise<Entry<SessionRow>> {
    const [entry] = await store.read(sessionRows, [[this.#place.prefix, sessionId]]);
    if (entry === undefined) throw missing(sessionId);
    return entry;
  }

  async #input(store: Store, sessionId: string): Promise<{ readonly value: InputRow }> {
    const [entry] = await store.read(inputRows, [[this.#place.prefix, sessionId]]);
    return entry ?? { value: noInput };
  }

  async #output(store: Store, sessionId: string): Promise<{ readonly value: OutputRow }> {
    const [entry] = await store.read(outputRows, [[this.#place.prefix, sessionId]]);
    return entry ?? { value: noOutput };
  }

  /** Utterances that are not over, in order. */
  async #waiting(store: Store, sessionId: string, { head, next }: OutputRow): Promise<[number, UtteranceRow][]> {
    const numbers = Array.from({ length: next - head }, (_, index) => head + index);
    const rows = await store.read(
      utteranceRows,
      numbers.map((number) => [this.#place.prefix, sessionId, number]),
    );
    return rows.flatMap((entry, index): [number, UtteranceRow][] =>
      entry === undefined || entry.value.interrupted !== undefined || isPlayed(entry.value)
        ? []
        : [[numbers[index] as number, entry.value]],
    );
  }

  async #lastSegment(store: Store, sessionId: string): Promise<TranscriptSegment | undefined> {
    const range = { prefix: [this.#place.prefix, sessionId] };
    const { entries } = await store.scan(segmentRows, range, { reverse: true, limit: 1 });
    return entries[0] && segmentOf(entries[0].key[2] as number, entries[0].value);
  }

  /** Segments at the end of the transcript: each knows its turn, so nobody has to count. */
  async #append(
    store: Store,
    sessionId: string,
    time: number,
    segments: readonly Omit<SegmentRow, 'turn' | 'time'>[],
  ): Promise<{ readonly writes: readonly Write[]; readonly rows: readonly TranscriptSegment[] }> {
    const last = await this.#lastSegment(store, sessionId);
    let { number, turn, speaker } = last ?? { number: -1, turn: 0, speaker: undefined };
    const rows = segments.map((segment) => {
      number++;
      if (segment.speaker !== speaker) turn++;
      ({ speaker } = segment);
      const row: SegmentRow = { ...segment, turn, time };
      return { number, row };
    });
    return {
      writes: rows.map(({ number: at, row }) => this.#put(segmentRows, [sessionId, at], row)),
      rows: rows.map(({ number: at, row }) => segmentOf(at, row)),
    };
  }

  /** An utterance was played to its end: it enters the transcript, and the queue begins after it. */
  async #advance(
    store: Store,
    sessionId: string,
    now: number,
    utteranceId: number,
    row: UtteranceRow,
  ): Promise<readonly Write[]> {
    const { value } = await this.#output(store, sessionId);
    const waiting = await this.#waiting(store, sessionId, value);
    const following = waiting.find(([number]) => number !== utteranceId);
    const output: OutputRow = {
      ...value,
      head: following?.[0] ?? value.next,
      generated: value.generated + row.generated,
      played: value.played + row.played,
    };
    const segment = { speaker: 'assistant', text: row.text, utterance: utteranceId };
    return [
      this.#put(outputRows, [sessionId], output),
      ...(await this.#append(store, sessionId, now, [segment])).writes,
    ];
  }

  /** Cuts what is being said and drops what waits. */
  async #interrupt(
    store: Store,
    sessionId: string,
    now: number,
    { playedBytes = 0, playedText }: Omit<BargeInOptions, 'idempotencyKey'>,
  ): Promise<BargeIn & { readonly writes: readonly Write[] }> {
    const { value } = await this.#output(store, sessionId);
    const waiting = await this.#waiting(store, sessionId, value);
    if (waiting.length === 0) return { cut: undefined, dropped: [], writes: [] };
    const [first] = waiting;
    const isCut = first !== undefined && first[1].generated > 0;
    const after = waiting.map(([number, row], index): [number, UtteranceRow] => {
      if (index > 0 || !isCut) return [number, { ...row, interrupted: 'dropped' }];
      const played = Math.min(row.generated, Math.max(row.played, playedBytes));
      return [number, { ...row, played, interrupted: 'cut', ...(playedText === undefined ? {} : { playedText }) }];
    });
    const output: OutputRow = {
      ...value,
      head: value.next,
      generated: after.reduce((sum, [, row]) => sum + row.generated, value.generated),
      played: after.reduce((sum, [, row]) => sum + row.played, value.played),
    };
    const [cut] = isCut ? after : [];
    // What nobody heard was not said.
    const segments =
      cut === undefined || cut[1].played === 0
        ? []
        : [{ speaker: 'assistant', text: playedText ?? cut[1].text, utterance: cut[0], isCut: true as const }];
    const appended = await this.#append(store, sessionId, now, segments);
    return {
      cut: cut && utteranceOf(cut[0], cut[1], false),
      dropped: after.slice(isCut ? 1 : 0).map(([number, row]) => utteranceOf(number, row, false)),
      writes: [
        this.#put(outputRows, [sessionId], output),
        ...after.map(([number, row]) => this.#put(utteranceRows, [sessionId, number], row)),
        ...appended.writes,
      ],
    };
  }

  #put(collection: Collection, key: Key, value: unknown): Write {
    return { kind: 'put', collection, key: [this.#place.prefix, ...key], value };
  }
}

function refuseEnded({ ended }: SessionRow, sessionId: string): void {
  if (ended === undefined) return;
  throw new SpeechSessionEndedError(
    `The session '${sessionId}' has ended (${ended.reason}) and accepts nothing more. Begin another with createSession.`,
    { sessionId, reason: ended.reason },
  );
}

function missing(sessionId: string): StateNotFoundError {
  return new StateNotFoundError(`There is no session '${sessionId}'.`, { sessionId });
}

/** Without the fields that were not given. */
function defined<Fields extends object>(fields: Fields): { [Name in keyof Fields]: Exclude<Fields[Name], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]: Exclude<Fields[Name], undefined>;
  };
}
