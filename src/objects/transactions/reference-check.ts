// A reference is stored only to what is there. The commit then depends on the object's being there, and not on what is in
// it, so that two who refer to the same object do not get in each other's way.
import { namesOf } from '../declaration.ts';
import { isCollectionKind } from '../instances/encoded.ts';
import { NotLoadedError } from '../errors.ts';
import { goneError } from '../instances/gone.ts';
import { isDerivedId } from '../node.ts';
import type { Node } from '../object-graph.ts';
import { extentRows, nodeRows } from '../rows.ts';

export function refuseGone(node: Node): void {
  const { objects, space, id, type, key } = node;
  const transaction = objects.transactionNow();
  // What a migration makes is stored with the object it belongs to.
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
    // Outside a transaction, on a store that cannot read at once, what was loaded must do.
    if (!(error instanceof NotLoadedError)) throw error;
    if (transaction.get(nodeRows, key) === undefined) throw goneError(node);
  }
}
