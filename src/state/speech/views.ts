// States of a session, computed from its rows.
import {
  AudioSessionStatus,
  TranscriptionStatus,
  UtteranceStatus,
  type AudioSession,
  type SttState,
  type TranscriptSegment,
  type TtsState,
  type Utterance,
} from './records.ts';
import type { InputRow, OutputRow, SegmentRow, SessionRow, UtteranceRow } from './rows.ts';

export function sessionOf(sessionId: string, row: SessionRow): AudioSession {
  return {
    sessionId,
    sessionType: row.type,
    streamingMode: row.mode,
    status: row.ended === undefined ? row.status : AudioSessionStatus.ENDED,
    config: row.config,
    keepAudio: row.keepAudio,
    createdAt: new Date(row.created),
    endedAt: row.ended && new Date(row.ended.time),
    endReason: row.ended?.reason,
  };
}

export function sttOf(
  sessionId: string,
  row: InputRow,
  interimTranscript: string | undefined,
  finalSegments: number,
): SttState {
  const { reported } = row;
  return {
    sessionId,
    status: reported?.status ?? (row.chunks > 0 ? TranscriptionStatus.LISTENING : TranscriptionStatus.IDLE),
    audioReceivedBytes: row.chunks > 0 ? row.bytes : (reported?.audioReceivedBytes ?? 0),
    chunksReceived: row.chunks,
    nextSequence: row.next,
    gaps: row.gaps.slice(-100),
    transcriptionProgress: reported?.transcriptionProgress,
    interimTranscript,
    finalSegments,
  };
}

/** @param waiting the utterances that are not over, in order */
export function ttsOf(sessionId: string, row: OutputRow, waiting: readonly Utterance[]): TtsState {
  const { reported } = row;
  // As long as nothing was enqueued here, somebody else speaks and reports.
  if (row.next === 0 && reported !== undefined) {
    const { textQueue = [], audioGeneratedBytes = 0, audioPlayedBytes = 0 } = reported;
    const isSpeaking = audioGeneratedBytes > audioPlayedBytes;
    return { sessionId, textQueue, audioGeneratedBytes, audioPlayedBytes, isSpeaking, currentUtterance: undefined };
  }
  const current = waiting.find(({ status }) => status === UtteranceStatus.SPEAKING);
  return {
    sessionId,
    textQueue: waiting.map(({ text }) => text),
    audioGeneratedBytes: waiting.reduce((sum, { generatedBytes }) => sum + generatedBytes, row.generated),
    audioPlayedBytes: waiting.reduce((sum, { playedBytes }) => sum + playedBytes, row.played),
    isSpeaking: current !== undefined,
    currentUtterance: current,
  };
}

/** @param isHead nothing before it is left to be played */
export function utteranceOf(utteranceId: number, row: UtteranceRow, isHead: boolean): Utterance {
  return {
    utteranceId,
    text: row.text,
    status: statusOf(row, isHead),
    generatedBytes: row.generated,
    playedBytes: row.played,
    isGenerated: row.isGenerated === true,
    playedText: row.playedText,
    createdAt: new Date(row.created),
  };
}

function statusOf(row: UtteranceRow, isHead: boolean): UtteranceStatus {
  if (row.interrupted !== undefined) return row.interrupted;
  if (isPlayed(row)) return UtteranceStatus.PLAYED;
  return isHead && row.generated > 0 ? UtteranceStatus.SPEAKING : UtteranceStatus.QUEUED;
}

/** All of its audio was generated and played. */
export function isPlayed({ isGenerated, generated, played }: UtteranceRow): boolean {
  return isGenerated === true && played >= generated;
}

export function segmentOf(number: number, row: SegmentRow): TranscriptSegment {
  return {
    number,
    speaker: row.speaker,
    text: row.text,
    turn: row.turn,
    time: new Date(row.time),
    startMs: row.startMs,
    endMs: row.endMs,
    confidence: row.confidence,
    utteranceId: row.utterance,
    isCut: row.isCut === true,
  };
}
