// Encodes a transaction for an engine and rejects invalid ones.
import type { Collection } from '../collection.ts';
import type { KnownCollection } from './engine.ts';
import { StoreArgumentError } from '../errors.ts';
import { describeKey, encodeKey } from '../key.ts';
import type { PlainCheck, PlainLeaseCheck, PlainTransaction, PlainWrite } from './plan.ts';
import { boundsOf } from '../range.ts';
import type { Check, Lease, LeaseCheck, Transaction, Write } from '../store.ts';
import { encodeValue } from '../value.ts';

type KnownOf = (collection: Collection) => KnownCollection;

export function plainTransaction(transaction: Transaction, knownOf: KnownOf): PlainTransaction {
  for (const name of Object.keys(transaction)) {
    // A misspelt `checks` would silently check nothing.
    if (name !== 'checks' && name !== 'leases' && name !== 'writes')
      throw new StoreArgumentError(`Unknown property '${name}' in a transaction. It has checks, leases and writes.`, {
        name,
      });
  }
  const written = new Set<string>();
  return {
    checks: (transaction.checks ?? []).map((check) => plainCheck(check, knownOf)),
    leases: (transaction.leases ?? []).map((lease) => plainLease(lease, knownOf)),
    writes: (transaction.writes ?? []).map((write) => {
      const plain = plainWrite(write, knownOf);
      const name = `${plain.collection} ${plain.key}`;
      if (written.has(name)) {
        throw new StoreArgumentError(
          `A transaction writes ${write.collection.name} ${describeKey(write.key)} twice. Write each key only once.`,
          { collection: write.collection.name },
        );
      }
      written.add(name);
      return plain;
    }),
  };
}

function plainCheck(check: Check, knownOf: KnownOf): PlainCheck {
  const collection = knownOf(check.collection).id;
  switch (check.kind) {
    case 'revision':
      if (!Number.isInteger(check.revision) || check.revision < 1) {
        throw new StoreArgumentError(
          `A revision check needs the revision of an entry, not ${check.revision}. Use kind 'absent' for a key that must not exist.`,
          { revision: check.revision },
        );
      }
      return { kind: 'revision', collection, key: encodeKey(check.key), revision: check.revision };
    case 'absent':
      return { kind: 'absent', collection, key: encodeKey(check.key) };
    case 'unchanged':
      if (!Number.isInteger(check.since) || check.since < 0) {
        throw new StoreArgumentError(
          `An unchanged check needs the revision at which the range was read, not ${check.since}.`,
          { since: check.since },
        );
      }
      return { kind: 'unchanged', collection, bounds: boundsOf(check.range), since: check.since };
    default:
      throw new StoreArgumentError(
        `Unknown kind of check '${String((check as { kind: unknown }).kind)}'. Use revision, absent or unchanged.`,
      );
  }
}

function plainWrite(write: Write, knownOf: KnownOf): PlainWrite {
  const { id: collection, definition } = knownOf(write.collection);
  const key = encodeKey(write.key);
  switch (write.kind) {
    case 'put':
      return { collection, key, value: encodeValue(definition, write.key, write.value) };
    case 'remove':
      return { collection, key, value: null };
    default:
      throw new StoreArgumentError(
        `Unknown kind of write '${String((write as { kind: unknown }).kind)}'. Use put or remove.`,
      );
  }
}

function plainLease({ lease, afterwards }: LeaseCheck, knownOf: KnownOf): PlainLeaseCheck {
  const given: unknown = afterwards;
  if (given !== 'keep' && given !== 'release') {
    throw new StoreArgumentError(
      `afterwards must be 'keep' or 'release', not ${String(given)}: the commit keeps or releases the lease.`,
    );
  }
  const { id: collection } = knownOf({ name: lease.collection, holds: 'records', keeps: 'latest', leased: true });
  return { collection, key: encodeKey(lease.key), token: tokenFrom(lease), release: afterwards === 'release' };
}

/** The token of a lease, checked. */
export function tokenFrom({ token }: Lease): number {
  if (Number.isSafeInteger(token)) return token;
  throw new StoreArgumentError(
    `The token of a lease must be a whole number, not ${String(token)}. Pass the lease that claim returned.`,
  );
}
