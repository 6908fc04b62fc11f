// Sessions of speech on one store in memory.
import { expect, it, onTestFinished } from 'vitest';
import { ManualClock } from '../../base/clock.ts';
import { openStore } from '../../store/open.ts';
import type { SpeechEvent } from './records.ts';
import { speechCollections } from './rows.ts';
import { SpeechStateManager, type SpeechStateManagerOptions } from './speech-state-manager.ts';

function manager(options: SpeechStateManagerOptions = {}): SpeechStateManager {
  const speech = new SpeechStateManager({ store: 'memory:', ...options });
  onTestFinished(() => speech.close());
  return speech;
}

const audio = (size: number): Uint8Array => new Uint8Array(size).fill(1);

it('takes chunks by number: ignores duplicates, refuses late ones, says gaps', async () => {
  const speech = manager();
  const session = await speech.createSession({ keepAudio: true });
  const add = (sequence: number) => speech.addAudioChunk(session, { sequence, audio: audio(10) });
  expect(await add(0)).toEqual({ status: 'accepted', sequence: 0, gap: undefined });
  expect(await add(0)).toMatchObject({ status: 'duplicate' });
  expect(await add(4)).toEqual({ status: 'accepted', sequence: 4, gap: { from: 1, to: 3 } });
  await expect(add(2)).rejects.toMatchObject({ code: 'SPEECH_LATE_INPUT', details: { sequence: 2, next: 5 } });
  expect(await speech.getSttState(session)).toMatchObject({
    audioReceivedBytes: 20,
    chunksReceived: 2,
    nextSequence: 5,
    gaps: [{ from: 1, to: 3 }],
    status: 'listening',
  });
  expect(await speech.getAudioChunk(session, 4)).toEqual(audio(10));
  // Those that are sent without waiting arrive in their order.
  const rest = await Promise.all([5, 6, 7, 8].map(add));
  expect(rest.every(({ status, gap }) => status === 'accepted' && gap === undefined)).toBe(true);
});

it('appends final text once, counts turns, and stores no interim text', async () => {
  const store = await openStore('memory:');
  onTestFinished(() => store.close());
  const [speech, other] = [manager({ store }), manager({ store })];
  const session = await speech.createSession();
  await other.getSttState(session);
  await speech.addTranscription(session, { text: 'Hello, I would', isFinal: false });
  expect((await speech.getSttState(session)).interimTranscript).toBe('Hello, I would');
  while ((await other.getSttState(session)).interimTranscript !== 'Hello, I would')
    await new Promise((resolve) => setImmediate(resolve));
  for (let count = 0; count < 2; count++)
    await speech.addTranscription(session, { text: 'Hello, I would like tea.', sequence: 0 });
  expect((await speech.getSttState(session)).interimTranscript).toBeUndefined();
  await speech.addTranscription(session, { text: 'Green.', sequence: 1 });
  await expect(speech.addTranscription(session, { text: 'Black.', sequence: 1 })).rejects.toMatchObject({
    code: 'STATE_CONFLICT',
  });
  await speech.addTranscription(session, { text: 'Coming.', speaker: 'assistant' });
  expect(await speech.getConversationState(session)).toMatchObject({
    turnCount: 2,
    currentSpeaker: 'assistant',
    segments: 3,
    transcript: [
      { role: 'user', content: 'Hello, I would like tea.' },
      { role: 'user', content: 'Green.' },
      { role: 'assistant', content: 'Coming.' },
    ],
  });
  for (const collection of speechCollections)
    expect(JSON.stringify((await store.scan(collection, {})).entries)).not.toContain('Hello, I would"');
});

it('plays utterances in order, and derives whether it is speaking', async () => {
  const speech = manager();
  const session = await speech.createSession();
  const [first, second] = [
    await speech.enqueueUtterance(session, 'One.'),
    await speech.enqueueUtterance(session, 'Two.'),
  ];
  expect(await speech.getTtsState(session)).toMatchObject({ textQueue: ['One.', 'Two.'], isSpeaking: false });
  await speech.playbackProgress(session, first.utteranceId, { generatedBytes: 100, playedBytes: 100 });
  // It may not be generated to its end.
  expect(await speech.getTtsState(session)).toMatchObject({ isSpeaking: true, currentUtterance: { text: 'One.' } });
  const played = await speech.playbackProgress(session, first.utteranceId, { isGenerated: true, playedBytes: 50 });
  expect(played).toMatchObject({ status: 'played', playedBytes: 100 });
  expect(await speech.getTtsState(session)).toMatchObject({
    textQueue: ['Two.'],
    isSpeaking: false,
    audioPlayedBytes: 100,
  });
  await speech.playbackProgress(session, second.utteranceId, {
    generatedBytes: 80,
    playedBytes: 20,
    isGenerated: true,
  });
  expect(await speech.getTtsState(session)).toMatchObject({ isSpeaking: true, audioGeneratedBytes: 180 });
  expect((await speech.getConversationState(session)).currentSpeaker).toBe('assistant');
  expect((await speech.getTranscript(session)).segments).toMatchObject([
    { text: 'One.', utteranceId: 0, isCut: false },
  ]);
});

it('cuts and drops at a barge-in', async () => {
  const speech = manager();
  const session = await speech.createSession();
  for (const text of ['One.', 'Two.', 'Three.']) await speech.enqueueUtterance(session, text);
  await speech.playbackProgress(session, 0, { generatedBytes: 100, playedBytes: 30 });
  const { cut, dropped } = await speech.bargeIn(session, { playedBytes: 40, playedText: 'O' });
  expect(cut).toMatchObject({ utteranceId: 0, status: 'cut', playedBytes: 40, playedText: 'O' });
  expect(dropped.map(({ text, status }) => [text, status])).toEqual([
    ['Two.', 'dropped'],
    ['Three.', 'dropped'],
  ]);
  expect(await speech.getTtsState(session)).toMatchObject({ textQueue: [], isSpeaking: false, audioPlayedBytes: 40 });
  expect((await speech.getTranscript(session)).segments).toMatchObject([{ text: 'O', isCut: true, utteranceId: 0 }]);
  await expect(speech.playbackProgress(session, 1, { playedBytes: 1 })).rejects.toMatchObject({
    code: 'STATE_TRANSITION',
  });
  expect(await speech.bargeIn(session)).toEqual({ cut: undefined, dropped: [] });
  const again = { idempotencyKey: 'reply-4' };
  const made = await speech.enqueueUtterance(session, 'Four.', again);
  expect(await speech.enqueueUtterance(session, 'Four.', again)).toEqual(made);
  expect((await speech.getTtsState(session)).textQueue).toEqual(['Four.']);
});

it('keeps reports of what is done outside', async () => {
  const speech = manager();
  const sessionId = await speech.createSession({ sessionId: 'call-1', streamingMode: 'input' });
  await speech.updateSttState({
    sessionId,
    status: 'transcribing',
    audioReceivedBytes: 45_000,
    transcriptionProgress: 0.6,
    interimTranscript: 'Hello',
  });
  expect(await speech.getSttState(sessionId)).toMatchObject({
    status: 'transcribing',
    audioReceivedBytes: 45_000,
    transcriptionProgress: 0.6,
    interimTranscript: 'Hello',
  });
  const tts = { sessionId, textQueue: ['Hello!'], audioGeneratedBytes: 12_000, audioPlayedBytes: 8000 };
  expect(await speech.updateTtsState(tts)).toMatchObject({ isSpeaking: true, textQueue: ['Hello!'] });
  expect((await speech.updateTtsState({ sessionId, audioPlayedBytes: 12_000 })).isSpeaking).toBe(false);
  const transcript = [{ role: 'user', content: 'Hello' }];
  await speech.updateConversationState({ sessionId, transcript });
  transcript.push({ role: 'assistant', content: 'Hi!' });
  const state = await speech.updateConversationState({ sessionId, transcript, sttState: { status: 'completed' } });
  expect(state).toMatchObject({
    turnCount: 2,
    currentSpeaker: 'assistant',
    transcript,
    sttState: { status: 'completed' },
  });
  const changed = [{ role: 'user', content: 'Bye' }];
  await expect(speech.updateConversationState({ sessionId, transcript: changed })).rejects.toMatchObject({
    code: 'STATE_CONFLICT',
  });
});

it('accepts nothing after the end', async () => {
  const speech = manager();
  const session = await speech.createSession();
  await speech.updateSessionStatus(session, 'active');
  await expect(speech.updateSessionStatus(session, 'initializing')).rejects.toMatchObject({ code: 'STATE_TRANSITION' });
  await speech.enqueueUtterance(session, 'One.');
  expect(await speech.endSession(session, 'user_ended')).toMatchObject({ status: 'ended', endReason: 'user_ended' });
  expect((await speech.endSession(session, 'user_ended')).endReason).toBe('user_ended');
  await expect(speech.endSession(session, 'timeout')).rejects.toMatchObject({ code: 'STATE_TRANSITION' });
  const ended = { code: 'SPEECH_SESSION_ENDED' };
  await expect(speech.addAudioChunk(session, { sequence: 0, audio: audio(1) })).rejects.toMatchObject(ended);
  await expect(speech.addTranscription(session, { text: 'x' })).rejects.toMatchObject(ended);
  await expect(speech.addTranscription(session, { text: 'x', isFinal: false })).rejects.toMatchObject(ended);
  await expect(speech.enqueueUtterance(session, 'x')).rejects.toMatchObject(ended);
  await expect(speech.updateSttState({ sessionId: session, status: 'idle' })).rejects.toMatchObject(ended);
  expect((await speech.getTtsState(session)).textQueue).toEqual([]);
  await expect(speech.getTtsState('none')).rejects.toMatchObject({ code: 'STATE_NOT_FOUND' });
  const second = await speech.createSession({ sessionId: 'second' });
  expect((await speech.listSessions({ status: 'ended' })).sessions.map(({ sessionId }) => sessionId)).toEqual([
    session,
  ]);
  await expect(speech.deleteSession(second)).rejects.toMatchObject({ code: 'STATE_TRANSITION' });
  await speech.deleteSession(session);
  expect(await speech.getSession(session)).toBeUndefined();
});

it('begins anew under the name of a session that was deleted', async () => {
  const clock = new ManualClock(1000);
  const speech = manager({ clock });
  for (let count = 0; count < 2; count++) {
    await speech.createSession({ sessionId: 'call' });
    expect((await speech.addTranscription('call', { text: 'Hello', sequence: 0 }))?.number).toBe(0);
    await speech.endSession('call', 'timeout');
    await speech.deleteSession('call');
    clock.advance(1);
  }
});

it('tells what happens, with interim text, until the end', async () => {
  const store = await openStore('memory:');
  onTestFinished(() => store.close());
  const [speech, page] = [manager({ store }), manager({ store })];
  const session = await speech.createSession();
  const events: SpeechEvent[] = [];
  const watching = (async () => {
    for await (const event of page.events(session, { since: 0 })) events.push(event);
  })();
  await speech.addAudioChunk(session, { sequence: 0, audio: audio(5) });
  while (!events.some(({ kind }) => kind === 'stt')) await new Promise((resolve) => setImmediate(resolve));
  await speech.addTranscription(session, { text: 'Hel', isFinal: false });
  while (!events.some(({ kind }) => kind === 'interim')) await new Promise((resolve) => setImmediate(resolve));
  await speech.addTranscription(session, { text: 'Hello' });
  await speech.enqueueUtterance(session, 'Hi!');
  await speech.endSession(session, 'timeout');
  await watching;
  const kinds = events.map(({ kind }) => kind);
  expect(new Set(kinds)).toEqual(new Set(['session', 'stt', 'interim', 'segment', 'utterance', 'tts']));
  expect(events.at(-1)).toMatchObject({ kind: 'session', session: { endReason: 'timeout' } });
});
