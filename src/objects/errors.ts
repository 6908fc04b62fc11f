// What can go wrong with durable objects, each with what to do about it.
import { StatekError } from '../base/error.ts';

/** A value that cannot be stored was assigned. The message names its path. */
export class NotStorableError extends StatekError {
  readonly code = 'NOT_STORABLE';
}

/** A class that cannot be durable, or whose declaration contradicts itself or another one. */
export class DurableClassError extends StatekError {
  readonly code = 'DURABLE_CLASS';
}

/** Objects were used where no open kit, or more than one, could be meant. */
export class NoKitError extends StatekError {
  readonly code = 'NO_KIT';
}

/** An object that was removed, or never was, was used. */
export class ObjectGoneError extends StatekError {
  readonly code = 'OBJECT_GONE';
}

/** Objects changed meanwhile, again and again, or a change outside a transaction came too late. */
export class ObjectConflictError extends StatekError {
  readonly code = 'OBJECT_CONFLICT';
}

/** The store cannot read at once, and this object was not loaded. */
export class NotLoadedError extends StatekError {
  readonly code = 'NOT_LOADED';
}

/** Something would change that may only be read: the past, a space opened for reading, a record of an unknown class. */
export class ObjectReadOnlyError extends StatekError {
  readonly code = 'OBJECT_READ_ONLY';
}

/** A transaction was used in a way that cannot be made all or nothing. */
export class TransactionError extends StatekError {
  readonly code = 'TRANSACTION';
}
