// Where a program holds a handle: the way to it from a variable, for people to find it.
import type { WireNode, WireValue } from '../wire/wire.ts';

/**
 * Paths to handles in a message of variables, by token: `rows`, `report.items[3]`, `cache.get('a')`. Handles that only
 * closures or unfinished code hold are on no path.
 */
export function pathsTo(tokens: ReadonlySet<string>, variablesMessage: string): ReadonlyMap<string, string> {
  const [root, ...nodes] = JSON.parse(variablesMessage) as [WireValue, ...WireNode[]];
  const found = new Map<string, string>();
  const seen = new Set<number>();
  const waiting: [WireValue, string][] = [[root, '']];
  // The nearest first, so that the shortest path is the one that is told.
  for (const [value, path] of waiting) {
    if (!Array.isArray(value) || typeof value[0] !== 'number' || seen.has(value[0])) continue;
    seen.add(value[0]);
    const node = nodes[value[0]];
    if (node === undefined) continue;
    if (node[0] === 'H' && tokens.has(node[1])) found.set(node[1], found.get(node[1]) ?? path);
    waiting.push(...membersOf(node, path));
  }
  return found;
}

function membersOf(node: WireNode, path: string): [WireValue, string][] {
  switch (node[0]) {
    case 'A':
      return node.slice(1).map((value, index) => [value, `${path}[${index}]`]);
    case 'S':
      return node.slice(1).map((value) => [value, `${path} (a member)`]);
    case 'O':
      return pairs(node, 1, (name) => `${path}${memberName(name)}`);
    case 'E':
      return pairs(node, 4, (name) => `${path}${memberName(name)}`);
    case 'I':
      return pairs(node, 2, (name) => `${path}${memberName(name)}`);
    case 'M':
      // The outermost map is the variables themselves.
      return [
        ...pairs(node, 1, (key) => (path === '' ? String(key) : `${path}.get(${keyName(key)})`)),
        ...keysOf(node, path),
      ];
    default:
      return [];
  }
}

function pairs(node: WireNode, start: number, pathOf: (name: unknown) => string): [WireValue, string][] {
  const members: [WireValue, string][] = [];
  for (let index = start; index + 1 < node.length; index += 2)
    members.push([node[index + 1] as WireValue, pathOf(node[index])]);
  return members;
}

function keysOf(node: WireNode, path: string): [WireValue, string][] {
  return node
    .slice(1)
    .filter((_, index) => index % 2 === 0)
    .map((key) => [key, `${path} (a key)`]);
}

function memberName(name: unknown): string {
  const text = String(name);
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(text) ? `.${text}` : `[${JSON.stringify(text)}]`;
}

function keyName(key: unknown): string {
  return typeof key === 'string' ? `'${key}'` : Array.isArray(key) ? '…' : String(key);
}
