// The door of this layer: what the layers below it in docs/architecture.md may use of the store. Everything else is its own.
export {
  bytesCollection,
  recordCollection,
  workCollection,
  type Collection,
  type RecordCollection,
  type ValueOf,
  type WorkCollection,
} from './collection.ts';
export { StoreConflictError, StoreRevisionGoneError, StoreUnknownOutcomeError } from './errors.ts';
export { encodeJson } from './json.ts';
export { decodeKey, encodeKey, type EncodedKey, type Key, type KeyPart } from './key.ts';
export { mustCommit } from './must-commit.ts';
export { openStore } from './open.ts';
export { boundsOf, within, type Range } from './range.ts';
export { scanAll } from './scan-all.ts';
export type {
  BlockingReads,
  Change,
  ChangeSet,
  Check,
  CommitResult,
  Conflict,
  Entry,
  FollowOptions,
  Lease,
  Page,
  Revision,
  Store,
  StoreSession,
  SynchronousReads,
  Transaction,
  Write,
} from './store.ts';
export { commitParts, commitWithRetry, emptyPart, mergeParts, type TransactionPart } from './transaction-part.ts';
