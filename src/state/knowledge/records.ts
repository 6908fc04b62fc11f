// What the manager of knowledge gives and takes.

/** Where the indexing of a source stands: computed from its run and the lease on it. `interrupted`: its process ended before the run did. */
export const IndexingStatus = {
  PENDING: 'pending',
  IN_PROGRESS: 'in_progress',
  INTERRUPTED: 'interrupted',
  COMPLETED: 'completed',
  FAILED: 'failed',
} as const;
export type IndexingStatus = (typeof IndexingStatus)[keyof typeof IndexingStatus];

/** How a source compares with what is indexed of it. */
export const SyncStatus = {
  PENDING: 'pending',
  SYNCING: 'syncing',
  SYNCED: 'synced',
  STALE: 'stale',
  FAILED: 'failed',
} as const;
export type SyncStatus = (typeof SyncStatus)[keyof typeof SyncStatus];

/** How far the indexing of a source, or of all sources of a knowledge base, has come. */
export interface IndexingProgress {
  readonly knowledgeBaseId: string;
  /** Undefined for all sources together. */
  readonly sourceId: string | undefined;
  readonly status: IndexingStatus;
  /** Undefined while nobody knows it. */
  readonly totalDocuments: number | undefined;
  /** Documents looked at: indexed, unchanged and failed. */
  readonly processedDocuments: number;
  readonly indexedDocuments: number;
  readonly unchangedDocuments: number;
  readonly failedDocuments: number;
  readonly removedDocuments: number;
  readonly startedAt: Date | undefined;
  readonly updatedAt: Date | undefined;
  readonly completedAt: Date | undefined;
  /** When it will be complete if it goes on at this pace. */
  readonly estimatedCompletion: Date | undefined;
  /** How often another process had to go on with it. */
  readonly resumed: number;
  readonly error: string | undefined;
  /** `run`: Statek does the work; `reported`: somebody said so. */
  readonly origin: 'run' | 'reported' | 'none';
}

/** Progress of work that is done outside. */
export interface ReportedProgress {
  readonly knowledgeBaseId: string;
  readonly sourceId?: string | undefined;
  readonly status: IndexingStatus;
  readonly totalDocuments?: number | undefined;
  readonly processedDocuments?: number | undefined;
  readonly failedDocuments?: number | undefined;
  readonly startedAt?: Date | undefined;
  readonly completedAt?: Date | undefined;
  readonly error?: string | undefined;
}

/** Where the items of a knowledge base come from, and how up to date they are. */
export interface SourceState {
  readonly knowledgeBaseId: string;
  readonly sourceId: string;
  readonly syncStatus: SyncStatus;
  /** When it was last indexed to its end. */
  readonly lastSync: Date | undefined;
  readonly documentsSynced: number;
  readonly documentsPending: number;
  readonly documentsFailed: number;
  readonly embeddings: number;
  readonly storageBytes: number;
  /** Milliseconds after which it is stale; undefined: never. */
  readonly staleAfter: number | undefined;
  readonly isStale: boolean;
  readonly error: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly origin: 'run' | 'reported' | 'none';
}

/** What is said of a source: its settings, and for sources that are indexed outside also their state. */
export interface ReportedSource {
  readonly sourceId: string;
  readonly knowledgeBaseId: string;
  readonly syncStatus?: SyncStatus | undefined;
  readonly lastSync?: Date | undefined;
  readonly documentsSynced?: number | undefined;
  readonly documentsPending?: number | undefined;
  readonly documentsFailed?: number | undefined;
  readonly embeddings?: number | undefined;
  readonly storageBytes?: number | undefined;
  readonly staleAfter?: number | undefined;
  readonly error?: string | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** What a knowledge base adds up to. */
export interface KnowledgeBaseState {
  readonly knowledgeBaseId: string;
  readonly name: string | undefined;
  readonly createdAt: Date;
  readonly totalDocuments: number;
  readonly failedDocuments: number;
  readonly totalEmbeddings: number;
  readonly lastUpdated: Date | undefined;
  readonly storageSizeMb: number;
  /** One of its sources is. */
  readonly isStale: boolean;
  readonly sources: number;
  readonly indexing: IndexingProgress;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** A knowledge base without its sums. */
export type KnowledgeBaseSummary = Pick<KnowledgeBaseState, 'knowledgeBaseId' | 'name' | 'createdAt' | 'metadata'>;

/** An item of a source, such as a file or a page. */
export interface SourceItem {
  /** The same item has the same id in every run. */
  readonly id: string;
  /** Its contents; a handler may also fetch them. */
  readonly content?: string | Uint8Array | undefined;
  /** Says whether it has changed; default: the hash of its contents. */
  readonly hash?: string | undefined;
  readonly title?: string | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** What a handler makes of an item. */
export interface IndexedDocument {
  /** What is searched; default: the contents of the item if they are text. */
  readonly text?: string | undefined;
  readonly title?: string | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** How many embeddings were made of it. */
  readonly embeddings?: number | undefined;
  /** Bytes it takes elsewhere, such as in a vector store. */
  readonly storageBytes?: number | undefined;
}

/** What a handler is given beside the item. */
export interface ItemContext {
  /** The same for every attempt at the same contents: give it to services that can recognise a repetition. */
  readonly idempotencyKey: string;
  /** Aborted when the run is over, also because another process has taken it over. */
  readonly signal: AbortSignal;
}

/** Makes a document of an item. What it throws makes the item fail. */
export type ItemHandler = (
  item: SourceItem,
  context: ItemContext,
) => IndexedDocument | string | undefined | void | Promise<IndexedDocument | string | undefined | void>;

/** An item as it was indexed. */
export interface ItemState {
  readonly itemId: string;
  readonly sourceId: string;
  readonly status: 'indexed' | 'failed';
  /** Of the contents that are indexed; undefined if it never succeeded. */
  readonly hash: string | undefined;
  readonly title: string | undefined;
  readonly indexedAt: Date | undefined;
  readonly error: string | undefined;
  readonly failedAt: Date | undefined;
}

/** What a run did. */
export interface IndexingReport {
  readonly indexed: number;
  readonly unchanged: number;
  readonly failed: number;
  readonly removed: number;
}

/** A document that fits a query. */
export interface SearchResult {
  readonly knowledgeBaseId: string;
  readonly sourceId: string;
  readonly itemId: string;
  readonly title: string | undefined;
  readonly score: number;
  /** The part of the text where words of the query stand. */
  readonly snippet: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** The answer to a query. */
export interface SearchResults {
  /** The best first. */
  readonly results: readonly SearchResult[];
  /** Documents with at least one word of the query, among those looked at. */
  readonly matches: number;
  /** Words so frequent that only a part of their documents was looked at. */
  readonly isPartial: boolean;
}
