// What is stored of a session. Every change checks the session's row, so that nothing is accepted after its end.
import { bytesCollection, recordCollection, type Collection, type RecordCollection } from '../../store/door.ts';
import { reportMarks } from '../foundation/once.ts';
import type { AudioSessionStatus, Gap, StreamingMode, TranscriptionStatus } from './records.ts';

export interface SessionRow {
  readonly type: string;
  readonly mode: StreamingMode;
  readonly config: Readonly<Record<string, unknown>>;
  readonly keepAudio: boolean;
  readonly created: number;
  /** What was said of it last. */
  readonly status: Exclude<AudioSessionStatus, 'ended'>;
  readonly ended?: { readonly reason: string; readonly time: number };
}

/** The audio that came in. */
export interface InputRow {
  /** The number after the highest that came. */
  readonly next: number;
  readonly chunks: number;
  readonly bytes: number;
  readonly gaps: readonly Gap[];
  readonly reported?: {
    readonly status?: TranscriptionStatus;
    readonly audioReceivedBytes?: number;
    readonly transcriptionProgress?: number;
  };
}

/** The queue of utterances: those from `head` to `next` are not over. */
export interface OutputRow {
  readonly head: number;
  readonly next: number;
  /** Of utterances that are over. */
  readonly generated: number;
  readonly played: number;
  readonly reported?: {
    readonly textQueue?: readonly string[];
    readonly audioGeneratedBytes?: number;
    readonly audioPlayedBytes?: number;
  };
}

export interface UtteranceRow {
  readonly text: string;
  readonly created: number;
  readonly generated: number;
  readonly played: number;
  readonly isGenerated?: true;
  readonly interrupted?: 'cut' | 'dropped';
  readonly playedText?: string;
}

export interface SegmentRow {
  readonly speaker: string;
  readonly text: string;
  readonly turn: number;
  readonly time: number;
  readonly startMs?: number;
  readonly endMs?: number;
  readonly confidence?: number;
  readonly utterance?: number;
  readonly isCut?: true;
}

/** [prefix, session] */
export const sessionRows: RecordCollection<SessionRow> = recordCollection<SessionRow>('state_speech_sessions');
/** [prefix, created, session] */
export const sessionIndexRows: RecordCollection<Record<string, never>> = recordCollection('state_speech_index', {
  small: true,
});
/** [prefix, session] */
export const inputRows: RecordCollection<InputRow> = recordCollection<InputRow>('state_speech_input');
/** [prefix, session] */
export const outputRows: RecordCollection<OutputRow> = recordCollection<OutputRow>('state_speech_output');
/** [prefix, session, number] */
export const utteranceRows: RecordCollection<UtteranceRow> = recordCollection<UtteranceRow>('state_speech_utterances');
/** [prefix, session, idempotency key]: which utterance was made with it. */
export const utteranceKeys: RecordCollection<{ readonly utterance: number }> = recordCollection('state_speech_keys', {
  small: true,
});
/** [prefix, session, number] */
export const segmentRows: RecordCollection<SegmentRow> = recordCollection<SegmentRow>('state_speech_segments');
/** [prefix, session, sequence] */
export const audioChunks: ReturnType<typeof bytesCollection> = bytesCollection('state_speech_audio');

export const speechCollections: readonly Collection[] = [
  sessionRows,
  sessionIndexRows,
  inputRows,
  outputRows,
  utteranceRows,
  utteranceKeys,
  segmentRows,
  audioChunks,
  reportMarks,
];

export const noInput: InputRow = { next: 0, chunks: 0, bytes: 0, gaps: [] };
export const noOutput: OutputRow = { head: 0, next: 0, generated: 0, played: 0 };
