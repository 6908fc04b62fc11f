// Only references to existing objects are stored. The commit then depends on the existence of the object but not on its
// contents, so that two transactions that refer to the same object do not conflict.
import { namesOf } from '../declaration.ts';
import { isCollectionKind } from '../instances/encoded.ts';
import { NotLoadedError } from '../errors.ts';
import { goneError } from '../instances/gone.ts';
import { isDerivedId } from '../node.ts';
import type { Node } from '../object-graph.ts';
import { extentRows, nodeRows } from '../rows.ts';

export function checkExists(node: Node): void {
  const { objects, space, id, type, key } = node;
  const transaction = objects.transactionNow();
  // Nodes created by a migration are stored with their object.
  if (transaction.knows(nodeRows, key) || isDerivedId(id)) return;
  const isThere = (): boolean => {
    if (isCollectionKind(type)) return transaction.get(nodeRows, key) !== undefined;
    const declaration = objects.classes.named(type);
    const names = declaration === undefined ? [type] : namesOf(declaration);
    return names.some((name) => transaction.get(extentRows, [space, name, id]) !== undefined);
  };
  try {
    if (!isThere()) throw goneError(node);
  } catch (error) {
    // Outside a transaction, on a store without synchronous reads, the check is skipped for objects that are not loaded.
    if (!(error instanceof NotLoadedError)) throw error;
    if (transaction.get(nodeRows, key) === undefined) throw goneError(node);
  }
}
