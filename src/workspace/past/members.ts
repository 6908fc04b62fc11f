// Variables branch by branch: the members of one value, each with what it is and as much of it as fits into a line. Whatever a
// program holds, looking at one branch reads that branch.
import { InvalidOptionError } from '../../base/options.ts';
import { NotFoundError } from '../errors.ts';
import type { ShownSizes } from '../language.ts';
import { CutMembers, GuestFunction, GuestInstance, GuestText } from '../wire/decode.ts';
import { render } from '../wire/render.ts';

/** A value by names and places, from a variable on: `['rooms', 0, 'name']`. Entries of maps and sets have places. */
export type ValuePath = readonly (string | number)[];

/** Which members of a value; default: the first 100. */
export interface MemberOptions {
  readonly offset?: number | undefined;
  readonly limit?: number | undefined;
}

/** One member of a value, in a line. */
export interface Member {
  /** What it is called: a name, a place, the key of a map. */
  readonly name: string;
  /** What to add to the path to look at it. */
  readonly step: string | number;
  /** `text`, `number`, `array`, `map`, `object`, `instance`, `handle`, `function` and so on. */
  readonly type: string;
  /** As it is shown; what is long is cut. */
  readonly text: string;
  /** How many members it has itself, if it has any. */
  readonly size?: number;
  /** The durable object it stands for. */
  readonly object?: string;
}

/** Members of a value, or of the program: its variables. */
export interface Members {
  readonly type: string;
  /** The value itself, as text. */
  readonly text: string;
  readonly total: number;
  readonly members: readonly Member[];
}

/** A handle where variables are looked at: its text, and the id of the durable object behind it. */
export class ShownHandle extends GuestText {
  readonly id: string | undefined;

  constructor(text: string, id: string | undefined) {
    super(text);
    this.id = id;
  }
}

/** What is read of a program to show the members of one value: each in a line. */
export function sizesFor(path: ValuePath, offset: number, limit: number): ShownSizes {
  return {
    items: 5,
    depth: path.length === 0 ? 3 : 4,
    text: 500,
    nodes: 20_000,
    characters: 4_000_000,
    ...(path.length === 0 ? {} : { path, offset, limit }),
  };
}

/** What to read instead where the program cannot be asked for one value: everything on the way. */
export function sizesOnTheWay(path: ValuePath, offset: number, limit: number): ShownSizes {
  const items = Math.max(offset + limit, ...path.map((step) => (typeof step === 'number' ? step + 1 : 0)), 100);
  return { items, depth: path.length + 3, text: 500, nodes: 200_000, characters: 16_000_000 };
}

/** The variables of a program as members. */
export function variablesAsMembers(variables: ReadonlyMap<string, unknown>, offset: number, limit: number): Members {
  const named = [...variables].map(([name, value]) => memberOf(name, name, value));
  return { type: 'variables', text: '', total: named.length, members: named.slice(offset, offset + limit) };
}

/** The members of a value whose members from `offset` on were read. */
export function membersOf(value: unknown, offset: number): Members {
  const { entries, total } = entriesOf(value, offset);
  return {
    type: typeOf(value),
    text: textOf(value),
    total,
    members: entries.map(([name, step, member]) => memberOf(name, step, member)),
  };
}

/** The value at a path of variables that were read whole. */
export function walk(variables: ReadonlyMap<string, unknown>, path: ValuePath): unknown {
  let value: unknown = variables;
  for (const step of path) {
    const { entries } = entriesOf(value, 0);
    const found = entries.find(([name, place]) => place === step || (typeof step === 'string' && name === step));
    if (found === undefined) throw noSuchValue(path);
    [, , value] = found;
  }
  return value;
}

/** A page of a value that was read whole. */
export function pageOf(value: unknown, offset: number, limit: number): Members {
  const whole = membersOf(value, 0);
  return { ...whole, members: whole.members.slice(offset, offset + limit) };
}

export function refuseNoPath(path: unknown): void {
  const isStep = (step: unknown): boolean =>
    typeof step === 'string' || (Number.isInteger(step) && (step as number) >= 0);
  if (!Array.isArray(path) || !path.every(isStep) || path.length > 100)
    throw new InvalidOptionError('A path is a list of names and places, such as ["rooms", 0, "name"].', { path });
}

export function noSuchValue(path: ValuePath): NotFoundError {
  return new NotFoundError(`There is nothing at ${JSON.stringify(path)}.`, { path });
}

function memberOf(name: string, step: string | number, value: unknown): Member {
  const size = entriesOf(value, 0).total;
  return {
    name,
    step,
    type: typeOf(value),
    text: textOf(value),
    ...(size === 0 ? {} : { size }),
    ...(value instanceof ShownHandle && value.id !== undefined ? { object: value.id } : {}),
  };
}

function textOf(value: unknown): string {
  return render(typeof value === 'string' ? [value] : value, { expand: 2, maxLength: 500 }).replace(
    /^\[(.*)\]$/s,
    (whole, inner: string) => (typeof value === 'string' ? inner : whole),
  );
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return 'text';
  if (typeof value !== 'object') return typeof value;
  if (Array.isArray(value)) return 'array';
  if (value instanceof ShownHandle) return 'handle';
  if (value instanceof GuestText) return 'other';
  if (value instanceof GuestFunction) return value.kind;
  if (value instanceof GuestInstance) return value.className;
  const name = /^\[object (\w+)\]$/.exec(Object.prototype.toString.call(value))?.[1] ?? 'Object';
  return value instanceof Error ? value.name : name === 'Object' ? 'object' : name;
}

type Entry = readonly [name: string, step: string | number, value: unknown];

/** The members that were read, and how many there are in all. */
function entriesOf(value: unknown, offset: number): { readonly entries: readonly Entry[]; readonly total: number } {
  let cut = 0;
  const entries: Entry[] = [];
  const add = (name: string, step: string | number, member: unknown): void => {
    if (member instanceof CutMembers) cut = member.count;
    else entries.push([name, step, member]);
  };
  if (Array.isArray(value)) value.forEach((member, index) => add(String(offset + index), offset + index, member));
  else if (value instanceof Map)
    [...value].forEach(([key, member], index) =>
      add(
        typeof key === 'string' ? key : render(key, { maxLength: 200 }),
        typeof key === 'string' ? key : offset + index,
        member,
      ),
    );
  else if (value instanceof Set)
    [...value].forEach((member, index) => add(String(offset + index), offset + index, member));
  else if (value instanceof GuestInstance)
    for (const [name, member] of Object.entries(value.fields)) add(name, name, member);
  else if (isOpen(value)) for (const [name, member] of Object.entries(value)) add(name, name, member);
  return { entries, total: entries.length === 0 && cut === 0 ? 0 : offset + entries.length + cut };
}

function isOpen(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || value instanceof GuestText) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || value instanceof Error;
}
