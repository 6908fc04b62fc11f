// The messages between a blocking read and its thread.
import type { MessagePort } from 'node:worker_threads';
import type { EngineScan, KnownCollection } from '../engine.ts';
import type { ErrorMessage } from '../../errors.ts';
import type { EncodedKey } from '../../key.ts';
import type { Revision } from '../../store.ts';

export interface BlockingThreadData {
  readonly settings: unknown;
  readonly port: MessagePort;
  /** Counts answers; the caller waits for it to change. */
  readonly answers: Int32Array<SharedArrayBuffer>;
}

export type BlockingRequest =
  | {
      readonly method: 'read';
      readonly collection: KnownCollection;
      readonly keys: readonly EncodedKey[];
      readonly at: Revision | undefined;
    }
  | { readonly method: 'scan'; readonly collection: KnownCollection; readonly scan: EngineScan };

export type BlockingAnswer = { readonly value: unknown } | { readonly error: ErrorMessage };
