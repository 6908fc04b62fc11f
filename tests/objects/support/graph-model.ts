// A graph of durable objects changed at random, and the same in plain objects, which cannot be wrong. Both are compared
// as text: everything that can be reached, with its identity, in the order it is met.
import { Durable } from '../../../src/objects/durable.ts';
import { find, idOf, index, remove } from '../../../src/objects/graph.ts';
import { tags } from '../../../src/objects/queries/tags.ts';
import { Random } from '../../crash/random.ts';

export class Node extends Durable {
  label = '';
  value: unknown = null;
  list: unknown[] = [];
  map = new Map<unknown, unknown>();
  set = new Set<unknown>();
  data: Record<string, unknown> = {};
}
export class SpecialNode extends Node {
  special = 1n;
}
export class Root extends Durable {
  static durable = { singleton: true };
  order = index<Node>();
  nodes: Node[] = [];
  /** How many numbered transactions there were. */
  applied = 0;
}

export const graphClasses = [Node, SpecialNode, Root];

/** What the model knows of an object: the same fields, plain. */
export interface ModelNode {
  readonly label: string;
  readonly isSpecial: boolean;
  isGone: boolean;
  tags: string[];
  keys: number[];
  value: unknown;
  list: unknown[];
  map: Map<unknown, unknown>;
  set: Set<unknown>;
  data: Record<string, unknown>;
}

export interface Model {
  readonly nodes: ModelNode[];
  made: number;
}

export function emptyModel(): Model {
  return { nodes: [], made: 0 };
}

/** A copy that shares nothing, references among its own nodes included. */
export function copyModel(model: Model): Model {
  return structuredClone(model);
}

const names = ['a', 'b', 'c', '1', 'constructor'];
const tagNames = ['red', 'green', 'blue'];
const indexKeys = [0, 1, 2, 3, 4];
const mostNodes = 14;

/** One random change, the same for the graph and for the model: all choices are made before either is looked at. */
export function randomChange(random: Random): (graph: Root, model: Model) => void {
  const kind = random.between(0, 15);
  const [first, second, third] = [random.fraction(), random.fraction(), random.fraction()];
  const name = random.pick(names);
  const tag = random.pick(tagNames);
  const scalar = random.pick<unknown>([
    1,
    'text',
    null,
    undefined,
    -0,
    5n,
    true,
    new Date(5),
    'long '.repeat(random.between(0, 400)),
  ]);
  const count = random.between(0, 60);
  return (graph, model) => {
    if (model.nodes.length < 2 || (kind === 0 && model.nodes.length < mostNodes))
      return make(graph, model, first < 0.3);
    const at = Math.floor(first * model.nodes.length);
    const [node, plain] = [graph.nodes[at] as Node, model.nodes[at] as ModelNode];
    const toAt = Math.floor(second * model.nodes.length);
    const pair: Pair = [graph.nodes[toAt] as Node, model.nodes[toAt] as ModelNode];
    const both = (change: (target: Changed, reference: unknown) => void): void => {
      change(node, pair[0]);
      change(plain, pair[1]);
    };
    const isReference = third < 0.5;
    switch (kind) {
      case 1:
        return both((target, reference) => (target.value = isReference ? reference : scalar));
      case 2:
        return both((target, reference) => (target.value = { name, nested: [reference, { scalar }] }));
      case 3:
        return both((target, reference) => void target.list.push(reference, scalar, [reference]));
      case 4:
        return both(({ list }) => void list.push(...Array.from({ length: count }, (_, position) => position)));
      case 5:
        return both(({ list }) => void list.splice(Math.floor(second * list.length), count % 7, 'spliced', scalar));
      case 6:
        return both((target) => void (third < 0.2 ? (target.list = []) : target.list.reverse()));
      case 7:
        return both(
          ({ map }, reference) => void map.set(isReference ? name : reference, isReference ? reference : scalar),
        );
      case 8:
        return both(({ map, set }, reference) => {
          map.delete(isReference ? name : reference);
          set.delete(isReference ? scalarKey(count) : reference);
        });
      case 9:
        return both(({ map, set }) => {
          for (let each = 0; each < count; each++) {
            map.set(`key ${each}`, each);
            set.add(each);
          }
        });
      case 10:
        return both(({ set }, reference) => void set.add(isReference ? reference : scalarKey(count)));
      case 11:
        return both(({ data }, reference) => (data[name] = isReference ? reference : [scalar]));
      case 12:
        return both(({ data, map, set }) => {
          Reflect.deleteProperty(data, name);
          if (third < 0.1) map.clear();
          if (third > 0.9) set.clear();
        });
      case 13: {
        const has = plain.tags.includes(tag);
        if (has) tags(node).remove(tag);
        else tags(node).add(tag);
        plain.tags = has ? plain.tags.filter((other) => other !== tag) : [...plain.tags, tag];
        return undefined;
      }
      case 14: {
        const key = count % 5;
        const has = plain.keys.includes(key);
        if (has) graph.order.remove(key, node);
        else graph.order.add(key, node);
        plain.keys = has ? plain.keys.filter((other) => other !== key) : [...plain.keys, key];
        return undefined;
      }
      default: {
        graph.nodes.splice(at, 1);
        remove(node);
        model.nodes.splice(at, 1);
        plain.isGone = true;
        return undefined;
      }
    }
  };
}

type Pair = readonly [Node, ModelNode];
type Changed = Pick<Node, 'value' | 'list' | 'map' | 'set' | 'data'>;

function scalarKey(count: number): unknown {
  return count % 2 === 0 ? count : `text ${count}`;
}

function make(graph: Root, model: Model, isSpecial: boolean): void {
  const label = `node ${model.made++}`;
  const node = isSpecial ? new SpecialNode() : new Node();
  node.label = label;
  graph.nodes.push(node);
  model.nodes.push(newModelNode(label, isSpecial));
}

function newModelNode(label: string, isSpecial: boolean): ModelNode {
  const collections = { list: [], map: new Map(), set: new Set(), data: {} };
  return { label, isSpecial, isGone: false, tags: [], keys: [], value: null, ...collections };
}

/**
 * Changes a graph alone, by the numbered transaction of a seed: always the same changes on the same graph. Some throw at
 * the end, and must leave nothing.
 */
export function applyNumbered(graph: Root, seed: number, number: number): void {
  const random = new Random(seed + number);
  const model: Model = { nodes: graph.nodes.map((node) => standIn(graph, node)), made: number * 100 };
  for (let count = random.between(1, 5); count > 0; count--) randomChange(random)(graph, model);
  graph.applied = number;
  if (random.chance(0.1)) throw new RangeError('on purpose');
}

/** As much of a model as changes look at. */
function standIn(graph: Root, node: Node): ModelNode {
  const keys = indexKeys.filter((key) => [...graph.order.select(key, key + 1)].includes(node));
  return { ...newModelNode(node.label, false), tags: [...tags(node)], keys };
}

/** Everything in the graph, as text. */
export function describeGraph(graph: Root): string {
  const label = (node: object): string => (node as Node).label;
  const known = new Map<object, string>();
  return JSON.stringify({
    nodes: graph.nodes.map((node) => [
      label(node),
      node instanceof SpecialNode && node.special === 1n,
      [...tags(node)],
      describe(node.value, known),
      describe(node.list, known),
      describe(node.map, known),
      describe(node.set, known),
      describe(node.data, known),
    ]),
    found: tagNames.map((tag) => [...find(Node, tag)].map(label).toSorted()),
    special: [...find(SpecialNode)].map(label).toSorted(),
    all: find(Node).count(),
    order: indexKeys.map((key) => [...graph.order.select(key, key + 1)].map(label).toSorted()),
    ids: graph.nodes.every((node) => node === graph.nodes.find((other) => idOf(other) === idOf(node))),
  });
}

/** The same of the model. */
export function describeModel({ nodes }: Model): string {
  const known = new Map<object, string>();
  const labels = (chosen: readonly ModelNode[]): string[] => chosen.map(({ label }) => label).toSorted();
  return JSON.stringify({
    nodes: nodes.map((node) => [
      node.label,
      node.isSpecial,
      node.tags,
      describe(node.value, known),
      describe(node.list, known),
      describe(node.map, known),
      describe(node.set, known),
      describe(node.data, known),
    ]),
    found: tagNames.map((tag) => labels(nodes.filter(({ tags: own }) => own.includes(tag)))),
    special: labels(nodes.filter(({ isSpecial }) => isSpecial)),
    all: nodes.length,
    order: indexKeys.map((key) => labels(nodes.filter(({ keys }) => keys.includes(key)))),
    ids: true,
  });
}

/** A value as text; what was met before is named, so that sharing and cycles show. */
function describe(value: unknown, known: Map<object, string>): unknown {
  if (typeof value === 'bigint') return `${value}n`;
  if (value === undefined) return 'undefined';
  if (Object.is(value, -0)) return '-0';
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return ['date', value.getTime()];
  if (isNode(value)) return isGone(value) ? 'gone' : ['node', (value as { label: string }).label];
  const before = known.get(value);
  if (before !== undefined) return ['same', before];
  known.set(value, `#${known.size}`);
  if (Array.isArray(value)) return value.map((member) => describe(member, known));
  if (value instanceof Map)
    return ['map', ...[...value].map(([key, member]) => [describe(key, known), describe(member, known)])];
  if (value instanceof Set) return ['set', ...[...value].map((member) => describe(member, known))];
  return ['object', ...Object.entries(value).map(([name, member]) => [name, describe(member, known)])];
}

function isNode(value: object): boolean {
  return value instanceof Node || 'isGone' in value;
}

function isGone(value: object): boolean {
  return value instanceof Node ? !existsNow(value) : (value as ModelNode).isGone;
}

function existsNow(node: Node): boolean {
  try {
    return typeof node.label === 'string';
  } catch {
    return false;
  }
}
