// Values as text for a model (and for people): compact, bounded, and never surprising. Strings are raw at the top and
// quoted when nested, long collections are cut with their total, nested objects are named instead of unfolded.
import { refuseUnknownOptions, type OptionNames } from '../../base/options.ts';
import { EnumMember, nodeOf, ObjectGoneError } from '../../objects/door.ts';
import { exposureOf, isExposed } from '../bridge/exposure.ts';
import type { LanguageName } from '../language-name.ts';
import { accessTo } from '../bridge/object-exposure.ts';
import { CutMembers, GuestFunction, GuestInstance, GuestText } from './decode.ts';

/** What is shown of a value, and how. */
export interface RenderOptions {
  /** Members that are left out. */
  readonly hide?: readonly string[] | undefined;
  /** Only these members. */
  readonly showOnly?: readonly string[] | undefined;
  /** How many levels of objects are unfolded; default: 2. */
  readonly expand?: number | undefined;
  /** The longest text; what is longer is cut with a note. Default: 20,000. */
  readonly maxLength?: number | undefined;
  /** Durable objects look as code of this role may see them. */
  readonly role?: string | undefined;
  /** In whose manner values are written; default: TypeScript's. */
  readonly language?: LanguageName | undefined;
}

const optionNames: OptionNames<RenderOptions> = {
  hide: true,
  showOnly: true,
  expand: true,
  maxLength: true,
  role: true,
  language: true,
};
const maxItems = 25;
const maxNestedText = 500;
const deepest = 50;

interface Context {
  readonly options: RenderOptions;
  readonly expand: number;
  readonly seen: Set<object>;
  /** Characters that may still be written. A small value that holds itself many times would otherwise never end. */
  left: number;
}

/** A value as text, the way `print` shows it to a model: objects with their members, long texts and lists cut with a note. */
export function render(value: unknown, options: RenderOptions = {}): string {
  refuseUnknownOptions('render', options, optionNames);
  const maxLength = options.maxLength ?? 20_000;
  const context = { options, expand: options.expand ?? 2, seen: new Set<object>(), left: maxLength };
  const text = typeof value === 'string' ? value : nested(value, 0, context);
  return cutText(text, maxLength);
}

/** One line of the console: its values, separated by spaces. */
export function renderLine(values: readonly unknown[], options: RenderOptions = {}): string {
  return values.map((value) => render(value, options)).join(' ');
}

export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return `${text.slice(0, maxLength)}… (${(text.length - maxLength).toLocaleString('en-US')} more of ${text.length.toLocaleString('en-US')} characters)`;
}

function nested(value: unknown, depth: number, context: Context): string {
  if (context.left < 0) return '…';
  if (typeof value === 'object' && value !== null) return object(value, depth, context);
  const text = simple(value, context.options.language === 'python');
  context.left -= text.length;
  return text;
}

function simple(value: unknown, isPython: boolean): string {
  if (isPython && (value === null || value === undefined)) return 'None';
  switch (typeof value) {
    case 'string':
      return quoted(cutText(value, maxNestedText));
    case 'boolean':
      return isPython ? (value ? 'True' : 'False') : String(value);
    case 'bigint':
      return isPython ? String(value) : `${value}n`;
    case 'function':
      return isPython ? `<function ${value.name}>` : `[function ${value.name || '(anonymous)'}]`;
    default:
      return Object.is(value, -0) ? '-0' : String(value);
  }
}

// Single quotes read better next to JSON in a transcript, and need no escaping for most texts.
function quoted(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${escaped}'`;
}

function object(value: object, depth: number, context: Context): string {
  try {
    const text = ownText(value);
    context.left -= text?.length ?? 2;
    return text ?? composed(value, depth, context);
  } catch (error) {
    if (!(error instanceof ObjectGoneError)) throw error;
    const type = nodeOf(value)?.type;
    return type === undefined ? '[gone]' : `[gone: ${type}]`;
  }
}

function composed(value: object, depth: number, context: Context): string {
  if (context.seen.has(value)) return '[circular]';
  context.seen.add(value);
  try {
    return unfolded(value, depth, context);
  } finally {
    context.seen.delete(value);
  }
}

/** What needs no unfolding. */
function ownText(value: object): string | undefined {
  if (value instanceof Date)
    return Number.isNaN(value.getTime())
      ? 'Invalid Date'
      : value.toISOString().replace('T00:00:00.000Z', '').replace('.000Z', 'Z');
  if (value instanceof RegExp) return String(value);
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (value instanceof EnumMember) return `${value.enumeration}.${value.name}`;
  if (value instanceof GuestText) return value.text;
  if (value instanceof GuestFunction) return `[${value.kind} ${value.functionName || '(anonymous)'}]`;
  if (value instanceof CutMembers) return `… ${value.count} more`;
  if (value instanceof Promise) return '[Promise]';
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `<${value.byteLength} bytes>`;
  const { llmRepr } = value as { llmRepr?: unknown };
  return typeof llmRepr === 'function' ? String(Reflect.apply(llmRepr, value, [])) : undefined;
}

function unfolded(value: object, depth: number, context: Context): string {
  if (depth > deepest) return '[…]';
  const inner = (member: unknown): string => nested(member, depth + 1, context);
  const isPython = context.options.language === 'python';
  if (Array.isArray(value)) return `[${items(countedArray(value), inner)}]`;
  if (value instanceof Set) {
    const members = countedSome(value, itself);
    if (isPython) return members.total === 0 ? 'set()' : `{${items(members, inner)}}`;
    return `Set(${members.total}) {${items(members, inner)}}`;
  }
  if (value instanceof Map) {
    const entries = countedSome(value, ([, member]) => member);
    if (isPython) return `{${items(entries, ([key, member]) => `${inner(key)}: ${inner(member)}`)}}`;
    return `Map(${entries.total}) {${items(entries, ([key, member]) => `${inner(key)} => ${inner(member)}`)}}`;
  }
  const name = value instanceof GuestInstance ? value.className : className(value);
  const members = visible(value instanceof GuestInstance ? value.fields : value, context.options);
  const all = counted(members, ([, member]) => member);
  if (depth >= context.expand) return name === '' ? `{…${all.total}}` : named(name, members);
  if (isPython) {
    const isData = name === '';
    const written = items(all, ([key, member]) => `${isData ? `${quoted(key)}: ` : `${key}=`}${inner(member)}`);
    return isData ? `{${written}}` : `${name}(${written})`;
  }
  const text = items(all, ([key, member]) => `${memberName(key)}: ${inner(member)}`);
  if (name === '') return text === '' ? '{}' : `{ ${text} }`;
  return text === '' ? `${name} {}` : `${name} { ${text} }`;
}

// A nested object is told by its class and the member people would call it by.
function named(name: string, members: readonly (readonly [string, unknown])[]): string {
  const label = ['name', 'title', 'id']
    .map((key) => members.find(([member]) => member === key)?.[1])
    .find((found) => typeof found === 'string' || typeof found === 'number');
  return label === undefined
    ? `<${name}>`
    : `<${name} ${typeof label === 'string' ? quoted(cutText(label, 60)) : label}>`;
}

const itself = (member: unknown): unknown => member;

interface Counted<Item> {
  readonly members: readonly Item[];
  readonly total: number;
}

/** The items that are there, and how many there were before some were cut on the way here. */
function counted<Item>(members: readonly Item[], valueOf: (member: Item) => unknown): Counted<Item> {
  const last = members.length === 0 ? undefined : valueOf(members.at(-1) as Item);
  if (!(last instanceof CutMembers)) return { members, total: members.length };
  return { members: members.slice(0, -1), total: members.length - 1 + last.count };
}

/** A managed array may be far longer than what is shown of it. */
function countedArray(value: readonly unknown[]): Counted<unknown> {
  return nodeOf(value) === undefined
    ? counted(value, itself)
    : { members: value.slice(0, maxItems), total: value.length };
}

function countedSome<Item>(
  value: Iterable<Item> & { readonly size: number },
  valueOf: (member: Item) => unknown,
): Counted<Item> {
  if (nodeOf(value) === undefined) return counted([...value], valueOf);
  const members: Item[] = [];
  for (const member of value) if (members.push(member) === maxItems) break;
  return { members, total: value.size };
}

function items<Item>({ members: all, total }: Counted<Item>, text: (item: Item) => string): string {
  const shown = Array.from(all.slice(0, maxItems), text);
  if (total > shown.length) shown.push(`… ${total - shown.length} more, ${total} in all`);
  return shown.join(', ');
}

function visible(value: object, { hide, showOnly, role }: RenderOptions): (readonly [string, unknown])[] {
  const members: (readonly [string, unknown])[] = [];
  const access = accessTo(value, role);
  const shown = access === undefined ? exposedFields(value, role) : undefined;
  for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
    if (
      shown?.has(name) === false ||
      access?.sees(name) === false ||
      !descriptor.enumerable ||
      name.startsWith('_') ||
      hide?.includes(name) === true ||
      showOnly?.includes(name) === false
    )
      continue;
    members.push([name, 'value' in descriptor ? descriptor.value : new GuestText('[getter]')]);
  }
  return members;
}

/** Of an object of the application, what is shown is what guest code can see; of data, everything. */
function exposedFields(value: object, role: string | undefined): ReadonlySet<string> | undefined {
  const prototype: unknown = Object.getPrototypeOf(value);
  if ((prototype === Object.prototype || prototype === null || value instanceof Error) && !isExposed(value))
    return undefined;
  return new Set(exposureOf(value, role).fields.map(({ name }) => name));
}

function className(value: object): string {
  const type = nodeOf(value)?.type;
  if (type !== undefined) return type === 'object' ? '' : type;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return '';
  const name: unknown = (prototype as { constructor?: { name?: unknown } }).constructor?.name;
  return typeof name === 'string' ? name : '';
}

function memberName(name: string): string {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) ? name : quoted(name);
}
