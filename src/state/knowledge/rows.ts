// What is stored of knowledge. An item, its text, its words in the index and the counters of its source change in one commit.
import { createHash } from 'node:crypto';
import {
  bytesCollection,
  recordCollection,
  workCollection,
  type Collection,
  type RecordCollection,
  type WorkCollection,
} from '../../store/door.ts';
import { reportMarks } from '../foundation/once.ts';
import type { IndexingStatus, SyncStatus } from './records.ts';

export interface BaseRow {
  readonly name?: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly created: number;
  readonly isDeleted?: true;
}

export interface SourceRow {
  readonly created: number;
  readonly staleAfter?: number;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** What was said of a source that is indexed outside. */
  readonly reported?: ReportedSourceRow;
}

interface ReportedSourceRow {
  readonly time: number;
  readonly syncStatus?: SyncStatus;
  readonly lastSync?: number;
  readonly documentsSynced?: number;
  readonly documentsPending?: number;
  readonly documentsFailed?: number;
  readonly embeddings?: number;
  readonly storageBytes?: number;
  readonly error?: string;
}

export interface ReportedProgressRow {
  readonly time: number;
  readonly status: IndexingStatus;
  readonly total?: number;
  readonly processed: number;
  readonly failed: number;
  readonly started?: number;
  readonly completed?: number;
  readonly error?: string;
}

/** The latest run over a source, and what the source adds up to. Only the process with the source's lease writes it. */
export interface RunRow {
  readonly run: string;
  readonly started: number;
  /** When the process that works on it, or did last, began; absent in older rows. */
  readonly since?: number;
  readonly updated: number;
  readonly finished?: number;
  readonly total?: number;
  readonly resumed: number;
  readonly indexed: number;
  readonly unchanged: number;
  readonly failed: number;
  readonly removed: number;
  readonly error?: string;
  /** When the last run ended that went to its end. */
  readonly lastSync?: number;
  readonly sums: SourceSums;
}

/** Over all items of a source. */
export interface SourceSums {
  readonly documents: number;
  readonly failed: number;
  readonly embeddings: number;
  readonly bytes: number;
  /** Words of all documents. */
  readonly words: number;
  /** The number of the next document. */
  readonly next: number;
}

export const noSums: SourceSums = { documents: 0, failed: 0, embeddings: 0, bytes: 0, words: 0, next: 0 };

export interface ItemRow {
  readonly id: string;
  readonly indexed?: {
    readonly hash: string;
    readonly number: number;
    readonly words: number;
    readonly bytes: number;
    readonly embeddings: number;
    readonly time: number;
    readonly title?: string;
  };
  readonly failed?: { readonly hash: string; readonly error: string; readonly time: number };
}

export interface DocumentRow {
  readonly item: string;
  readonly title?: string;
  readonly text: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** [prefix, base] */
export const baseRows: RecordCollection<BaseRow> = recordCollection<BaseRow>('state_knowledge_bases');
/** [prefix, base, source] */
export const sourceRows: RecordCollection<SourceRow> = recordCollection<SourceRow>('state_knowledge_sources');
/** [prefix, base, source or ''] */
export const progressRows: RecordCollection<ReportedProgressRow> =
  recordCollection<ReportedProgressRow>('state_knowledge_progress');
/** [prefix, base, source] */
export const runRows: RecordCollection<RunRow> = recordCollection<RunRow>('state_knowledge_runs');
/** [prefix, base, source]; whoever has the lease runs the source. */
export const runItems: WorkCollection<Record<string, never>> = workCollection('state_knowledge_work');
/** [prefix, base, source, item] */
export const itemRows: RecordCollection<ItemRow> = recordCollection<ItemRow>('state_knowledge_items');
/** [prefix, base, source, number] */
export const documentRows: RecordCollection<DocumentRow> = recordCollection<DocumentRow>('state_knowledge_documents');
/** [prefix, base, word, source, chunk] */
export const postingRows: ReturnType<typeof bytesCollection> = bytesCollection('state_knowledge_postings');

export const knowledgeCollections: readonly Collection[] = [
  baseRows,
  sourceRows,
  progressRows,
  runRows,
  runItems,
  itemRows,
  documentRows,
  postingRows,
  reportMarks,
];

/** An item's id as part of a key: addresses can be longer than keys. */
export function itemPart(id: string): string {
  return id.length <= 200 ? id : `sha256:${createHash('sha256').update(id).digest('base64url')}`;
}
