// Tells whether variables differ, exactly: in a member far down, through a second reference, by what shares what. What people
// are shown of a value is cut, so two values can look the same and not be.
import { createHash } from 'node:crypto';
import type { ShownSizes } from '../language.ts';
import type { WireMessage, WireNode, WireValue } from '../wire/wire.ts';

/** As much of the variables as is compared; what a program holds beyond it is not. */
export const comparedSizes: ShownSizes = {
  items: 1_000_000,
  depth: 1000,
  text: 10_000_000,
  nodes: 200_000,
  characters: 16_000_000,
};

/**
 * One text for each variable of a message of shown variables: equal if and only if the variables are. `object` says what an object
 * of the application is at the time.
 */
export function fingerprintsOf(message: WireMessage, object: (token: string) => string): ReadonlyMap<string, string> {
  const [, root, ...rest] = JSON.parse(message) as [WireValue, readonly WireValue[], ...WireNode[]];
  const nodes: readonly (readonly WireValue[])[] = [root, ...rest];
  const found = new Map<string, string>();
  for (let index = 1; index < root.length; index += 2)
    found.set(String(root[index]), fingerprint(root[index + 1] as WireValue, nodes, object));
  return found;
}

/** Nodes are numbered in the order in which they are met, so that equal graphs have equal texts wherever they were stored. */
function fingerprint(
  value: WireValue,
  nodes: readonly (readonly WireValue[])[],
  object: (token: string) => string,
): string {
  const hash = createHash('sha256');
  const numbers = new Map<number, number>();
  const open: number[] = [];
  const form = (part: WireValue | undefined): unknown => {
    if (!Array.isArray(part) || typeof part[0] !== 'number') return part;
    let number = numbers.get(part[0]);
    if (number === undefined) {
      number = numbers.size;
      numbers.set(part[0], number);
      open.push(part[0]);
    }
    return [number];
  };
  hash.update(JSON.stringify(form(value)));
  for (let next = 0; next < open.length; next++) {
    const [kind, ...parts] = nodes[open[next] as number] ?? [];
    // Tokens differ from one workspace to the next; what they stand for does not.
    hash.update(JSON.stringify(kind === 'H' ? [kind, object(String(parts[0]))] : [kind, ...parts.map(form)]));
  }
  return hash.digest('base64url');
}
