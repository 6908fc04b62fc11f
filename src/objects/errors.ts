// The errors of durable objects.
import { StatekError } from '../base/error.ts';

/** A value that cannot be stored was assigned. The message has its path. */
export class NotStorableError extends StatekError {
  readonly code = 'NOT_STORABLE';
}

/** A class cannot be durable, or its declaration is invalid or conflicts with another one. */
export class DurableClassError extends StatekError {
  readonly code = 'DURABLE_CLASS';
}

/** It is unclear which kit to use: none or several are open. */
export class NoKitError extends StatekError {
  readonly code = 'NO_KIT';
}

/** The object was removed, or never existed. */
export class ObjectGoneError extends StatekError {
  readonly code = 'OBJECT_GONE';
}

/** Concurrent changes: a transaction ran out of retries, or a change outside a transaction conflicted. */
export class ObjectConflictError extends StatekError {
  readonly code = 'OBJECT_CONFLICT';
}

/** The object is not loaded, and the store has no synchronous reads. */
export class NotLoadedError extends StatekError {
  readonly code = 'NOT_LOADED';
}

/** An attempt to change something read-only: the past, a read-only space, an object of an unregistered class. */
export class ObjectReadOnlyError extends StatekError {
  readonly code = 'OBJECT_READ_ONLY';
}

/** A transaction was used in a way that cannot be atomic. */
export class TransactionError extends StatekError {
  readonly code = 'TRANSACTION';
}
