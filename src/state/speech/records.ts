// What the manager of speech gives and takes.

/** Where a session stands. What is said of it is kept; `ended` follows from its end. */
export const AudioSessionStatus = {
  INITIALIZING: 'initializing',
  ACTIVE: 'active',
  PAUSED: 'paused',
  ERROR: 'error',
  ENDED: 'ended',
} as const;
export type AudioSessionStatus = (typeof AudioSessionStatus)[keyof typeof AudioSessionStatus];

/** Which way audio is streamed. */
export const StreamingMode = {
  NONE: 'none',
  INPUT: 'input',
  OUTPUT: 'output',
  BIDIRECTIONAL: 'bidirectional',
} as const;
export type StreamingMode = (typeof StreamingMode)[keyof typeof StreamingMode];

/** What speech to text is doing, as reported. */
export const TranscriptionStatus = {
  IDLE: 'idle',
  LISTENING: 'listening',
  TRANSCRIBING: 'transcribing',
  COMPLETED: 'completed',
  FAILED: 'failed',
} as const;
export type TranscriptionStatus = (typeof TranscriptionStatus)[keyof typeof TranscriptionStatus];

/** Usual reasons for the end of a session; any other text is one, too. */
export const EndReason = {
  USER_ENDED: 'user_ended',
  AGENT_ENDED: 'agent_ended',
  TIMEOUT: 'timeout',
  DISCONNECTED: 'disconnected',
  ERROR: 'error',
} as const;
export type EndReason = (typeof EndReason)[keyof typeof EndReason];

/** What a session begins with. */
export interface NewAudioSession {
  /** Default: a random one. */
  readonly sessionId?: string | undefined;
  /** Such as `voice_conversation`, which is the default. */
  readonly sessionType?: string | undefined;
  /** Default: `bidirectional`. */
  readonly streamingMode?: StreamingMode | undefined;
  /** Providers, language and so on: kept as given. */
  readonly config?: Readonly<Record<string, unknown>> | undefined;
  /** The bytes of audio chunks are kept, too; default: false, then only their numbers and sizes count. */
  readonly keepAudio?: boolean | undefined;
}

/** A session of speech. */
export interface AudioSession {
  readonly sessionId: string;
  readonly sessionType: string;
  readonly streamingMode: StreamingMode;
  readonly status: AudioSessionStatus;
  readonly config: Readonly<Record<string, unknown>>;
  readonly keepAudio: boolean;
  readonly createdAt: Date;
  readonly endedAt: Date | undefined;
  readonly endReason: string | undefined;
}

/** Numbers of chunks that never came, both included. */
export interface Gap {
  readonly from: number;
  readonly to: number;
}

/** The audio that came in, and how far it was understood. */
export interface SttState {
  readonly sessionId: string;
  readonly status: TranscriptionStatus;
  /** Of chunks that were added; otherwise as reported. */
  readonly audioReceivedBytes: number;
  readonly chunksReceived: number;
  readonly nextSequence: number;
  /** The latest 100. */
  readonly gaps: readonly Gap[];
  readonly transcriptionProgress: number | undefined;
  /** The words of the segment that is being spoken. Never stored: known where it was given, and to managers that listen. */
  readonly interimTranscript: string | undefined;
  readonly finalSegments: number;
}

/** Speech to text that is done outside. */
export interface ReportedStt {
  readonly sessionId: string;
  readonly status?: TranscriptionStatus | undefined;
  readonly audioReceivedBytes?: number | undefined;
  readonly transcriptionProgress?: number | undefined;
  readonly interimTranscript?: string | undefined;
}

/** What is to be said, and how much of it was heard. */
export interface TtsState {
  readonly sessionId: string;
  /** What is spoken now and what follows. */
  readonly textQueue: readonly string[];
  readonly audioGeneratedBytes: number;
  readonly audioPlayedBytes: number;
  /** Audio was generated that has not been played, or the utterance under way is not generated to its end. */
  readonly isSpeaking: boolean;
  readonly currentUtterance: Utterance | undefined;
}

/** Text to speech that is done outside. */
export interface ReportedTts {
  readonly sessionId: string;
  readonly textQueue?: readonly string[] | undefined;
  readonly audioGeneratedBytes?: number | undefined;
  readonly audioPlayedBytes?: number | undefined;
}

/** `cut`: interrupted while it was played; `dropped`: interrupted before. */
export const UtteranceStatus = {
  QUEUED: 'queued',
  SPEAKING: 'speaking',
  PLAYED: 'played',
  CUT: 'cut',
  DROPPED: 'dropped',
} as const;
export type UtteranceStatus = (typeof UtteranceStatus)[keyof typeof UtteranceStatus];

/** One text that is to be said. */
export interface Utterance {
  readonly utteranceId: number;
  readonly text: string;
  readonly status: UtteranceStatus;
  readonly generatedBytes: number;
  readonly playedBytes: number;
  /** All of its audio was generated. */
  readonly isGenerated: boolean;
  /** What was heard of an utterance that was cut, if somebody said so. */
  readonly playedText: string | undefined;
  readonly createdAt: Date;
}

/** A part of what was said, which does not change any more. */
export interface TranscriptSegment {
  readonly number: number;
  readonly speaker: string;
  readonly text: string;
  /** Segments that one speaker says in a row are one turn. */
  readonly turn: number;
  readonly time: Date;
  readonly startMs: number | undefined;
  readonly endMs: number | undefined;
  readonly confidence: number | undefined;
  /** The utterance it comes from, and whether it was cut. */
  readonly utteranceId: number | undefined;
  readonly isCut: boolean;
}

/** What was understood. */
export interface Transcription {
  readonly text: string;
  /** Default: `user`. */
  readonly speaker?: string | undefined;
  /** False: interim text, which is told to whoever listens and never stored; default: true. */
  readonly isFinal?: boolean | undefined;
  /** The number of the segment at its recogniser: the same number is appended once. */
  readonly sequence?: number | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly startMs?: number | undefined;
  readonly endMs?: number | undefined;
  readonly confidence?: number | undefined;
}

/** What became of a chunk. */
export type AddedChunk =
  | { readonly status: 'accepted'; readonly sequence: number; readonly gap: Gap | undefined }
  | { readonly status: 'duplicate'; readonly sequence: number; readonly gap: undefined };

/** What an interruption did. */
export interface BargeIn {
  /** The utterance that was being spoken. */
  readonly cut: Utterance | undefined;
  readonly dropped: readonly Utterance[];
}

/** A session as a conversation. */
export interface VoiceConversationState {
  readonly sessionId: string;
  /** Derived from the transcript, like `currentSpeaker`. */
  readonly turnCount: number;
  readonly currentSpeaker: string | undefined;
  readonly sttState: SttState;
  readonly ttsState: TtsState;
  /** The latest segments, at most 100, the oldest first. */
  readonly transcript: readonly { readonly role: string; readonly content: string }[];
  readonly segments: number;
}

/** A conversation that is held outside. */
export interface ReportedConversation {
  readonly sessionId: string;
  /** The whole transcript so far: segments that are not there yet are appended, others must be the same. */
  readonly transcript?: readonly { readonly role: string; readonly content: string }[] | undefined;
  readonly sttState?: Omit<ReportedStt, 'sessionId'> | undefined;
  readonly ttsState?: Omit<ReportedTts, 'sessionId'> | undefined;
}

/** What happens in a session, for those who show it. Interim text has no revision: it was never committed. */
export type SpeechEvent =
  | { readonly kind: 'session'; readonly revision: number; readonly session: AudioSession }
  | { readonly kind: 'stt'; readonly revision: number; readonly state: SttState }
  | { readonly kind: 'tts'; readonly revision: number; readonly state: TtsState }
  | { readonly kind: 'segment'; readonly revision: number; readonly segment: TranscriptSegment }
  | { readonly kind: 'utterance'; readonly revision: number; readonly utterance: Utterance }
  | { readonly kind: 'interim'; readonly speaker: string; readonly text: string };
