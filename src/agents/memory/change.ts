// Changes of the memory, as transactions that hold only if nothing they rely on has changed.
import type { Check, Store, Transaction, Write } from '../../store/door.ts';
import type { MemoryContext } from './contexts.ts';
import { edgeRows, expiryRows, factRows, type FactRow } from './rows.ts';

export interface PlannedChange {
  readonly transaction: Transaction;
  readonly row: FactRow;
}

/** Writes a fact, and the way to its context where it is not there yet. */
export async function planRemember(
  store: Store,
  context: MemoryContext,
  fact: Omit<FactRow, 'created' | 'specifiers'>,
): Promise<PlannedChange> {
  const key = [context.id, fact.name];
  const [before] = await store.read(factRows, [key]);
  const row = { ...fact, specifiers: context.specifiers, created: before?.value.created ?? fact.updated };
  const checks: Check[] = [];
  const writes: Write[] = [{ kind: 'put', collection: factRows, key, value: row }];
  if (before === undefined) {
    checks.push({ kind: 'absent', collection: factRows, key });
    const steps = stepsOf(context);
    const edges = await store.read(edgeRows, steps);
    for (const [index, step] of steps.entries()) {
      const edge = edges[index];
      // An edge that is there must stay: whoever takes the last fact below it away removes it.
      if (edge !== undefined)
        checks.push({ kind: 'revision', collection: edgeRows, key: step, revision: edge.revision });
      else {
        checks.push({ kind: 'absent', collection: edgeRows, key: step });
        writes.push({ kind: 'put', collection: edgeRows, key: step, value: null });
      }
    }
  } else checks.push({ kind: 'revision', collection: factRows, key, revision: before.revision });
  if (before?.value.expires !== fact.expires) {
    if (before?.value.expires !== undefined) writes.push(expiry('remove', context, before.value));
    if (fact.expires !== undefined) writes.push(expiry('put', context, row));
  }
  return { transaction: { checks, writes }, row };
}

/** Removes a fact, and the way to its context as far as nothing else is kept there; undefined if there is no such fact. */
export async function planForget(
  store: Store,
  context: MemoryContext,
  name: string,
): Promise<PlannedChange | undefined> {
  const key = [context.id, name];
  const [before] = await store.read(factRows, [key]);
  if (before === undefined) return undefined;
  const checks: Check[] = [{ kind: 'revision', collection: factRows, key, revision: before.revision }];
  const writes: Write[] = [{ kind: 'remove', collection: factRows, key }];
  if (before.value.expires !== undefined) writes.push(expiry('remove', context, before.value));
  // From the context towards the root: an edge goes when nothing is left at its end.
  let below: string | undefined;
  for (const step of stepsOf(context).toReversed()) {
    const [, id] = step;
    const facts = await store.scan(factRows, { prefix: [id] }, { limit: 2 });
    const edges = await store.scan(edgeRows, { prefix: [id] }, { limit: 2 });
    const fact = facts.entries.find((entry) => below !== undefined || entry.key[1] !== name);
    const keeper = fact ?? edges.entries.find((entry) => entry.key[1] !== below);
    if (keeper !== undefined) {
      // If what keeps the edge goes at the same time, one of the two must see it.
      const collection = fact === undefined ? edgeRows : factRows;
      checks.push({ kind: 'revision', collection, key: keeper.key, revision: keeper.revision });
      break;
    }
    checks.push({ kind: 'unchanged', collection: factRows, range: { prefix: [id] }, since: facts.revision });
    checks.push({ kind: 'unchanged', collection: edgeRows, range: { prefix: [id] }, since: edges.revision });
    writes.push({ kind: 'remove', collection: edgeRows, key: step });
    below = id;
  }
  return { transaction: { checks, writes }, row: before.value };
}

/** The edges from the root to a context. */
function stepsOf({ path }: MemoryContext): [from: string, to: string][] {
  return path.slice(1).map((id, index) => [path[index] as string, id]);
}

function expiry(kind: 'put' | 'remove', { id }: MemoryContext, { expires, name, specifiers }: FactRow): Write {
  const key = [expires as number, id, name];
  return kind === 'remove'
    ? { kind, collection: expiryRows, key }
    : { kind, collection: expiryRows, key, value: { specifiers, name } };
}
