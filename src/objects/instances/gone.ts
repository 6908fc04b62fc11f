// The error for an object that is not there any more.
import { ObjectGoneError } from '../errors.ts';
import { idText } from '../node.ts';
import type { Node } from '../object-graph.ts';

export function goneError({ type, space, id }: Node): ObjectGoneError {
  const text = idText(space, id);
  return new ObjectGoneError(
    `The ${type} ${text} is gone: it was removed, or nothing referred to it. exists(object) tells beforehand.`,
    { id: text, type },
  );
}
