// The door of this layer: what the layers below it in docs/architecture.md may use of the store. Everything else is its own.
export { LimitedStore, openUsedBytes } from './around/limited-store.ts';
export { isSource, openSource, sources, type StoreSource } from './around/store-source.ts';
export { backupStore, type BackupOptions, type BackupReport } from './backup/backup-store.ts';
export {
  bytesCollection,
  recordCollection,
  workCollection,
  type Collection,
  type RecordCollection,
  type ValueOf,
  type WorkCollection,
} from './collection.ts';
export {
  StoreClosedError,
  StoreConflictError,
  StoreRevisionGoneError,
  StoreUnknownOutcomeError,
  StoreCorruptError,
} from './errors.ts';
export { compressionOption } from './journal/compression-option.ts';
export { packText, unpack, type Packing } from './journal/packing.ts';
export { encodeJson } from './json.ts';
export { decodeKey, encodeKey, type EncodedKey, type Key, type KeyPart } from './key.ts';
export { keepLease } from './keep-lease.ts';
export { mustCommit } from './must-commit.ts';
export { openStore } from './open.ts';
export { boundsOf, within, type Range } from './range.ts';
export { ArchiveDamagedError, readArchive, writeArchive, type ArchivedRow } from './archive/archive.ts';
export { refuseEncrypted } from './around/encrypted-store.ts';
export { readUndamaged } from './read-undamaged.ts';
export { removeMatching } from './remove-matching.ts';
export { scanAll } from './scan-all.ts';
export { pageUndamaged, scanUndamaged } from './scan-undamaged.ts';
export type {
  BlockingReads,
  Change,
  ChangeSet,
  Check,
  Claimed,
  CommitResult,
  Conflict,
  Entry,
  FollowOptions,
  Lease,
  Page,
  Revision,
  ScanOptions,
  Store,
  StoreSession,
  SynchronousReads,
  Transaction,
  Write,
} from './store.ts';
export { commitParts, commitWithRetry, emptyPart, mergeParts, type TransactionPart } from './transaction-part.ts';
