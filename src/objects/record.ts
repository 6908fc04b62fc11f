// The stored record of a node. Nodes created by a migration are stored only with their object; until then, migrating the
// object again recreates them with the same ids.
import { goneError } from './instances/gone.ts';
import { migrated } from './instances/migrate.ts';
import { isDerivedId, ownerOf } from './node.ts';
import type { Node } from './object-graph.ts';
import { nodeRows, type InstanceRecord, type NodeRecord } from './rows.ts';

/** Undefined if the node is gone. */
export function findRecord(node: Omit<Node, 'type'>): NodeRecord | undefined {
  const { objects, space, id, key } = node;
  const transaction = objects.transactionNow();
  const record = transaction.get(nodeRows, key) as NodeRecord | undefined;
  if (record !== undefined || !isDerivedId(id)) return record;
  const ownerId = ownerOf(id);
  const owner = { objects, space, id: ownerId, key: [space, ownerId] };
  const ownerRecord = findRecord(owner);
  if (ownerRecord === undefined || !('class' in ownerRecord)) return undefined;
  const declaration = objects.classes.named(ownerRecord.class);
  if (declaration === undefined) return undefined;
  migrated({ ...owner, type: declaration.name }, declaration, ownerRecord);
  return transaction.get(nodeRows, key) as NodeRecord | undefined;
}

export function recordOf(node: Node): NodeRecord {
  const record = findRecord(node);
  if (record === undefined) throw goneError(node);
  return record;
}

/** The record of an instance, migrated to the current version of its class. */
export function instanceRecord(node: Node): InstanceRecord {
  const record = recordOf(node) as InstanceRecord;
  const declaration = node.objects.classes.named(node.type);
  return declaration === undefined ? record : migrated(node, declaration, record);
}
