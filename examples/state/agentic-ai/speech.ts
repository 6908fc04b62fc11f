// AgenticAI's snippets for SpeechStateManager, line by line.
import {
  AudioSessionStatus,
  EndReason,
  SpeechStateManager,
  StreamingMode,
  TranscriptionStatus,
  type ReportedConversation,
  type ReportedStt,
  type ReportedTts,
} from 'statek/state';

export async function speech(folder: string): Promise<void> {
  const speechState = new SpeechStateManager({ persistence: 'sqlite', filePath: folder });

  const sessionId = await speechState.createSession({
    sessionType: 'voice_conversation',
    streamingMode: StreamingMode.BIDIRECTIONAL,
    config: { stt_provider: 'openai', tts_provider: 'elevenlabs', language: 'en-US' },
  });
  await speechState.updateSessionStatus(sessionId, AudioSessionStatus.ACTIVE);

  const sttState: ReportedStt = {
    sessionId,
    status: TranscriptionStatus.TRANSCRIBING,
    audioReceivedBytes: 45_000,
    transcriptionProgress: 0.6,
    interimTranscript: 'Hello, I would like to...',
  };
  await speechState.updateSttState(sttState);
  const currentStt = await speechState.getSttState(sessionId);
  console.log(`Progress: ${(currentStt.transcriptionProgress ?? 0) * 100}%`);
  console.log(`Interim: ${currentStt.interimTranscript}`);

  // Whether it speaks follows from what was generated and played.
  const ttsState: ReportedTts = {
    sessionId,
    textQueue: ['Hello! How can I help you today?'],
    audioGeneratedBytes: 12_000,
    audioPlayedBytes: 8000,
  };
  await speechState.updateTtsState(ttsState);
  const currentTts = await speechState.getTtsState(sessionId);
  if (currentTts.isSpeaking) console.log('Agent is currently speaking...');

  // Who speaks, and how many turns there were, follows from the transcript.
  const conversationState: ReportedConversation = {
    sessionId,
    transcript: [
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Hi! How can I help?' },
    ],
  };
  const { turnCount, currentSpeaker } = await speechState.updateConversationState(conversationState);
  console.log(`${turnCount} turns, speaking: ${currentSpeaker}`);
  const { endReason } = await speechState.endSession(sessionId, EndReason.USER_ENDED);
  console.log(endReason);
  await speechState.close();
}
