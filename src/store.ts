// Everything `statek/store` exports: the contract of a store, for those who use one directly or write an engine.
// eslint-disable-next-line import/no-unassigned-import -- it must run before everything else
import './base/require-node.ts';
export { systemClock, type Clock } from './base/clock.ts';
export { ArchiveDamagedError } from './store/archive/archive.ts';
export { backupStore, type BackupOptions, type BackupReport } from './store/backup/backup-store.ts';
export { copyStore, type CopyReport } from './store/backup/copy-store.ts';
export { encryptStore, type EncryptStoreOptions } from './store/backup/encrypt-store.ts';
export { BackupChainError, BackupExistsError } from './store/backup/errors.ts';
export { inspectBackup, type BackupDescription } from './store/backup/inspect-backup.ts';
export type { MoveOptions, MoveProgress, MoveReport, ReadWholeOptions } from './store/backup/progress.ts';
export { restoreStore } from './store/backup/restore-store.ts';
export {
  bytesCollection,
  recordCollection,
  workCollection,
  type BytesCollection,
  type Collection,
  type RecordCollection,
  type ValueOf,
  type WorkCollection,
} from './store/collection.ts';
export {
  StoreArgumentError,
  StoreBusyError,
  StoreClosedError,
  StoreConflictError,
  StoreCorruptError,
  StoreFeatureError,
  StoreForeignError,
  StoreFullError,
  StoreNewerError,
  StoreNotEmptyError,
  StorePermissionError,
  StoreRevisionGoneError,
  StoreRolledBackError,
  StoreUnavailableError,
  StoreUnknownOutcomeError,
} from './store/errors.ts';
export type { Key, KeyPart } from './store/key.ts';
export { mustCommit } from './store/must-commit.ts';
export { openStore, type OpenStoreOptions } from './store/open.ts';
export type { Range } from './store/range.ts';
export { scanAll } from './store/scan-all.ts';
export type { FileOptions } from './store/file/options.ts';
export type { SqliteOptions } from './store/sqlite/options.ts';
export type {
  BlockingReads,
  Change,
  Changes,
  ChangeSet,
  ChangesOptions,
  Check,
  Claimed,
  ClaimOptions,
  CommitResult,
  Conflict,
  Entry,
  FollowOptions,
  HeldLease,
  Lease,
  LeaseCheck,
  Page,
  ReadOptions,
  RenewResult,
  Revision,
  ScanOptions,
  SessionOptions,
  Store,
  StoreFeatures,
  StoreSession,
  SynchronousReads,
  Transaction,
  VerifyReport,
  VolatileMessages,
  Write,
} from './store/store.ts';
