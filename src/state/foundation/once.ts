// Reports that are made twice happen once: a report with an idempotency key leaves a mark in its own commit, and the same report
// finds it. The same key with other contents is a mistake of the caller, and refused.
import { createHash } from 'node:crypto';
import {
  encodeJson,
  recordCollection,
  type RecordCollection,
  type Store,
  type TransactionPart,
} from '../../store/door.ts';
import { StateConflictError } from './errors.ts';

interface Mark {
  readonly fingerprint: string;
  readonly time: number;
}

/** Marks of reports that were made, by prefix, scope and key. */
export const reportMarks: RecordCollection<Mark> = recordCollection<Mark>('state_reports', { small: true });

export interface Report {
  readonly prefix: string;
  /** Keys of different scopes are independent, such as the workflows 'a' and 'b'. */
  readonly scope: string;
  readonly idempotencyKey: string | undefined;
  readonly contents: unknown;
  readonly time: number;
}

/** What to commit with the report; undefined if it was made before. */
export async function once(store: Store, report: Report): Promise<TransactionPart | undefined> {
  const { prefix, scope, idempotencyKey, contents, time } = report;
  if (idempotencyKey === undefined) return { checks: [], writes: [] };
  const key = [prefix, scope, idempotencyKey];
  const fingerprint = createHash('sha256')
    .update(encodeJson(contents ?? null, `The report '${idempotencyKey}'`))
    .digest('base64url');
  const [mark] = await store.read(reportMarks, [key]);
  if (mark === undefined) {
    return {
      checks: [{ kind: 'absent', collection: reportMarks, key }],
      writes: [{ kind: 'put', collection: reportMarks, key, value: { fingerprint, time } }],
    };
  }
  if (mark.value.fingerprint === fingerprint) return undefined;
  throw new StateConflictError(
    `The idempotency key '${idempotencyKey}' was used for another report of ${scope}. Use a new key for new facts.`,
    { scope, idempotencyKey },
  );
}
