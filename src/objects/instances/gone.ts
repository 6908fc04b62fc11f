// The error for an object that no longer exists.
import { ObjectGoneError } from '../errors.ts';
import { idText } from '../node.ts';
import type { Node } from '../object-graph.ts';

export function goneError({ type, space, id }: Node): ObjectGoneError {
  const text = idText(space, id);
  return new ObjectGoneError(
    `The ${type} ${text} is gone: it was removed, or collected because nothing referred to it. Check with exists(object) first.`,
    { id: text, type },
  );
}
