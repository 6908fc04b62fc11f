// States of sources and runs, computed from rows and leases. Nothing here is stored.
import { IndexingStatus, SyncStatus, type IndexingProgress, type ItemState, type SourceState } from './records.ts';
import type { ItemRow, ReportedProgressRow, RunRow, SourceRow } from './rows.ts';

/** What is known of a source. */
export interface KnownSource {
  readonly sourceId: string;
  readonly row: SourceRow | undefined;
  readonly run: RunRow | undefined;
  readonly reported: ReportedProgressRow | undefined;
  /** A living process works on it. */
  readonly isRunning: boolean;
}

export function progressOf(knowledgeBaseId: string, known: KnownSource, now: number): IndexingProgress {
  const { sourceId, run, reported, isRunning } = known;
  if (run === undefined) return reportedProgress(knowledgeBaseId, sourceId, reported);
  const processed = run.indexed + run.unchanged + run.failed;
  const status =
    run.finished === undefined
      ? isRunning
        ? IndexingStatus.IN_PROGRESS
        : IndexingStatus.INTERRUPTED
      : run.failed > 0 && run.indexed + run.unchanged === 0
        ? IndexingStatus.FAILED
        : IndexingStatus.COMPLETED;
  return {
    knowledgeBaseId,
    sourceId,
    status,
    totalDocuments: run.total,
    processedDocuments: processed,
    indexedDocuments: run.indexed,
    unchangedDocuments: run.unchanged,
    failedDocuments: run.failed,
    removedDocuments: run.removed,
    startedAt: new Date(run.started),
    updatedAt: new Date(run.updated),
    completedAt: run.finished === undefined ? undefined : new Date(run.finished),
    estimatedCompletion:
      status === IndexingStatus.IN_PROGRESS
        ? // What was counted, this process has done: before it nobody did.
          estimate(now, run.since ?? run.started, processed, run.total)
        : undefined,
    resumed: run.resumed,
    error: run.error,
    origin: 'run',
  };
}

export function reportedProgress(
  knowledgeBaseId: string,
  sourceId: string | undefined,
  reported: ReportedProgressRow | undefined,
): IndexingProgress {
  const { total, processed = 0, failed = 0, started, completed, time, error } = reported ?? {};
  const status = reported?.status ?? IndexingStatus.PENDING;
  return {
    knowledgeBaseId,
    sourceId,
    status,
    totalDocuments: total,
    processedDocuments: processed,
    indexedDocuments: Math.max(0, processed - failed),
    unchangedDocuments: 0,
    failedDocuments: failed,
    removedDocuments: 0,
    startedAt: dateOf(started),
    updatedAt: dateOf(time),
    completedAt: dateOf(completed),
    // By the pace until the report was made.
    estimatedCompletion:
      status === IndexingStatus.IN_PROGRESS && started !== undefined && time !== undefined
        ? estimate(time, started, processed, total)
        : undefined,
    resumed: 0,
    error,
    origin: reported === undefined ? 'none' : 'reported',
  };
}

function estimate(now: number, started: number, processed: number, total: number | undefined): Date | undefined {
  if (total === undefined || processed === 0) return undefined;
  const pace = Math.max(0, now - started) / processed;
  return new Date(Math.round(now + pace * Math.max(0, total - processed)));
}

/** The progress of all sources together. */
export function combined(knowledgeBaseId: string, all: readonly IndexingProgress[]): IndexingProgress {
  const sum = (field: (progress: IndexingProgress) => number): number =>
    all.reduce((total, progress) => total + field(progress), 0);
  const has = (status: IndexingStatus): boolean => all.some((progress) => progress.status === status);
  const status =
    [IndexingStatus.IN_PROGRESS, IndexingStatus.INTERRUPTED, IndexingStatus.FAILED, IndexingStatus.COMPLETED].find(
      has,
    ) ?? IndexingStatus.PENDING;
  const isKnown = all.length > 0 && all.every(({ totalDocuments }) => totalDocuments !== undefined);
  const isOver = status === IndexingStatus.COMPLETED || status === IndexingStatus.FAILED;
  const estimates = all.filter((progress) => progress.status === IndexingStatus.IN_PROGRESS);
  return {
    knowledgeBaseId,
    sourceId: undefined,
    status,
    totalDocuments: isKnown ? sum(({ totalDocuments = 0 }) => totalDocuments) : undefined,
    processedDocuments: sum(({ processedDocuments }) => processedDocuments),
    indexedDocuments: sum(({ indexedDocuments }) => indexedDocuments),
    unchangedDocuments: sum(({ unchangedDocuments }) => unchangedDocuments),
    failedDocuments: sum(({ failedDocuments }) => failedDocuments),
    removedDocuments: sum(({ removedDocuments }) => removedDocuments),
    startedAt: extreme(all, ({ startedAt }) => startedAt, Math.min),
    updatedAt: extreme(all, ({ updatedAt }) => updatedAt, Math.max),
    completedAt: isOver ? extreme(all, ({ completedAt }) => completedAt, Math.max) : undefined,
    estimatedCompletion: estimates.every(({ estimatedCompletion }) => estimatedCompletion !== undefined)
      ? extreme(estimates, ({ estimatedCompletion }) => estimatedCompletion, Math.max)
      : undefined,
    resumed: sum(({ resumed }) => resumed),
    error: all.find(({ error }) => error !== undefined)?.error,
    origin: all.some(({ origin }) => origin === 'run') ? 'run' : (all[0]?.origin ?? 'none'),
  };
}

function extreme(
  all: readonly IndexingProgress[],
  field: (progress: IndexingProgress) => Date | undefined,
  choose: (...times: number[]) => number,
): Date | undefined {
  const times = all.flatMap((progress) => field(progress)?.getTime() ?? []);
  return times.length === 0 ? undefined : new Date(choose(...times));
}

export function sourceStateOf(knowledgeBaseId: string, known: KnownSource, now: number): SourceState {
  const { sourceId, row, run } = known;
  const progress = progressOf(knowledgeBaseId, known, now);
  const { staleAfter, metadata = {}, reported } = row ?? {};
  const sums = run?.sums;
  const lastSync = run === undefined ? reported?.lastSync : run.lastSync;
  const isStale = staleAfter !== undefined && (lastSync === undefined || lastSync + staleAfter <= now);
  return {
    knowledgeBaseId,
    sourceId,
    syncStatus: syncStatusOf(known, progress.status, lastSync, isStale),
    lastSync: dateOf(lastSync),
    documentsSynced: sums?.documents ?? reported?.documentsSynced ?? 0,
    documentsPending:
      run === undefined
        ? (reported?.documentsPending ?? 0)
        : run.finished === undefined
          ? Math.max(0, (run.total ?? 0) - progress.processedDocuments)
          : 0,
    documentsFailed: sums?.failed ?? reported?.documentsFailed ?? 0,
    embeddings: sums?.embeddings ?? reported?.embeddings ?? 0,
    storageBytes: sums?.bytes ?? reported?.storageBytes ?? 0,
    staleAfter,
    isStale,
    error: run === undefined ? reported?.error : run.error,
    metadata,
    origin: run === undefined ? (reported === undefined ? 'none' : 'reported') : 'run',
  };
}

function syncStatusOf(
  { run, row }: KnownSource,
  indexing: IndexingStatus,
  lastSync: number | undefined,
  isStale: boolean,
): SyncStatus {
  if (run === undefined) {
    const { syncStatus = SyncStatus.PENDING } = row?.reported ?? {};
    return isStale && syncStatus === SyncStatus.SYNCED ? SyncStatus.STALE : syncStatus;
  }
  switch (indexing) {
    case IndexingStatus.IN_PROGRESS:
      return SyncStatus.SYNCING;
    case IndexingStatus.FAILED:
      return SyncStatus.FAILED;
    case IndexingStatus.INTERRUPTED:
      return lastSync === undefined ? SyncStatus.PENDING : SyncStatus.STALE;
    default:
      return isStale ? SyncStatus.STALE : SyncStatus.SYNCED;
  }
}

export function itemOf(sourceId: string, { id, indexed, failed }: ItemRow): ItemState {
  return {
    itemId: id,
    sourceId,
    status: failed === undefined ? 'indexed' : 'failed',
    hash: indexed?.hash,
    title: indexed?.title,
    indexedAt: dateOf(indexed?.time),
    error: failed?.error,
    failedAt: dateOf(failed?.time),
  };
}

function dateOf(time: number | undefined): Date | undefined {
  return time === undefined ? undefined : new Date(time);
}
