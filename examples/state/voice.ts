// A voice session: audio comes in numbered chunks, what was understood becomes the transcript, and the caller interrupts the answer.
import { SpeechStateManager } from 'statek/state';

export async function voiceSession(folder: string): Promise<void> {
  let speech = new SpeechStateManager({ store: folder });
  const session = await speech.createSession({
    sessionType: 'voice_conversation',
    streamingMode: 'bidirectional',
    config: { sttProvider: 'openai', ttsProvider: 'elevenlabs', language: 'en-US' },
  });
  await speech.updateSessionStatus(session, 'active');
  for (const sequence of [0, 1, 1, 3]) {
    const { status, gap } = await speech.addAudioChunk(session, { sequence, audio: new Uint8Array(320) });
    console.log(`chunk ${sequence}: ${status}${gap === undefined ? '' : `, missing from ${gap.from} to ${gap.to}`}`);
  }
  // Interim text is for whoever listens now, and never stored; a final segment is appended once.
  await speech.addTranscription(session, { text: 'Book a', isFinal: false });
  for (let time = 1; time <= 2; time++)
    await speech.addTranscription(session, { text: 'Book a room for nine.', sequence: 0 });

  const { utteranceId } = await speech.enqueueUtterance(
    session,
    'The red room is free at nine, with a view of the garden.',
  );
  await speech.enqueueUtterance(session, 'Shall I take it?');
  await speech.playbackProgress(session, utteranceId, { generatedBytes: 12_000, playedBytes: 4000 });
  await speech.close();

  // The process has changed; the call goes on. The caller interrupts, and what was not heard is not part of the conversation.
  speech = new SpeechStateManager({ store: folder });
  console.log('speaking:', (await speech.getTtsState(session)).isSpeaking);
  const { dropped } = await speech.bargeIn(session, { playedBytes: 5000, playedText: 'The red room is free at nine' });
  console.log(`interrupted; ${dropped.length} more utterance dropped`);
  await speech.addTranscription(session, { text: 'Yes, take it.', sequence: 1 });
  const { transcript, turnCount } = await speech.getConversationState(session);
  for (const { role, content } of transcript) console.log(`  ${role}: ${content}`);
  const { status, endReason } = await speech.endSession(session, 'user_ended');
  console.log(`${turnCount} turns, ${status}: ${endReason}`);
  await speech.close();
}
