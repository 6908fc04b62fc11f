// Conflicts as callers see them: which check failed, with what was expected and found. Shared by all engines.
import { decodeKey, describeEncodedKey, type EncodedKey } from '../key.ts';
import type { Conflict, Revision } from '../store.ts';

/** Revision 0 means that the key is absent. */
export function keyConflict(
  kind: 'revision' | 'absent',
  collection: string,
  key: EncodedKey,
  { expected, found }: { readonly expected: Revision; readonly found: Revision },
): Conflict {
  const name = (revision: Revision): string => (revision === 0 ? 'absent' : `at revision ${revision}`);
  const why = `${describeEncodedKey(key)} is ${name(found)}, not ${name(expected)}`;
  return { ...conflict(kind, collection, why), key: decodeKey(key) };
}

export function prunedConflict(collection: string, since: Revision, horizon: Revision): Conflict {
  return conflict('unchanged', collection, `changes since revision ${since} were pruned; the horizon is ${horizon}`);
}

export function futureConflict(collection: string, since: Revision, head: Revision): Conflict {
  return conflict('unchanged', collection, `revision ${since} does not exist yet; the latest is ${head}`);
}

export function changedConflict(collection: string, since: Revision): Conflict {
  return conflict('unchanged', collection, `the range has changed since revision ${since}`);
}

export function leaseConflict(collection: string, key: EncodedKey, token: number, why: string): Conflict {
  const text = `the lease ${token} on ${describeEncodedKey(key)} ${why}`;
  return { ...conflict('lease', collection, text), key: decodeKey(key) };
}

function conflict(kind: Conflict['kind'], collection: string, why: string): Conflict {
  return { kind, collection, message: `${collection}: ${why}.` };
}
