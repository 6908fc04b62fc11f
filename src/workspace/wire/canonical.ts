// Messages that say the same are the same text here: members of plain objects are sorted by name, and shared values are written
// out. For comparing what calls were given.
import type { WireMessage, WireNode, WireValue } from './wire.ts';

/** Deeper values are compared as they were written; so are those that share so much that writing them out takes forever. */
const maxDepth = 100;
const maxNodes = 100_000;

export function canonicalMessage(message: WireMessage): string {
  const [value, ...nodes] = JSON.parse(message) as [WireValue, ...WireNode[]];
  let left = maxNodes;
  const nodeForm = (index: number, above: readonly number[]): unknown => {
    const up = above.indexOf(index);
    if (up >= 0) return ['^', above.length - up];
    if (above.length >= maxDepth || --left < 0) throw new TooLarge();
    const [kind, ...parts] = nodes[index] as readonly [string, ...WireValue[]];
    const inside = [...above, index];
    const forms = parts.map((part) => valueForm(part, inside));
    if (kind !== 'O') return [kind, ...forms];
    const members = parts.flatMap((name, at) => (at % 2 === 0 ? [[String(name), forms[at + 1]] as const] : []));
    return [kind, ...members.toSorted(([a], [b]) => (a < b ? -1 : 1))];
  };
  const valueForm = (part: WireValue, above: readonly number[]): unknown =>
    Array.isArray(part) && typeof part[0] === 'number' ? nodeForm(part[0], above) : part;
  try {
    return JSON.stringify(valueForm(value, []));
  } catch (error) {
    if (error instanceof TooLarge) return message;
    throw error;
  }
}

class TooLarge extends Error {}
