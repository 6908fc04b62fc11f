// The guest's side of the form in which values cross to the host; wire.ts describes it. What is handed over may run guest
// code (getters, proxies); what is only shown never does, and always has some form.
import { toBase64 } from './base64.js';
import { isProxy } from './connection.js';
import * as own from './primordials.js';

/** Set by handles.js and callbacks.js: how objects that cross by reference are named and made. */
export const references = {
  __proto__: null,
  /** The token of a handle, or undefined if the value is not one. */
  tokenOf: (_value) => undefined,
  /** The handle for a token. */
  handleFor: (_token) => undefined,
  /** Names a guest function for the time of one call; 0 where functions cannot cross. */
  callbackFor: (_callback) => 0,
};

/** How much is shown: members of one value, levels, characters of one text, objects in all and characters in all. */
const usualSizes = { __proto__: null, items: 100, depth: 6, text: 20_000, nodes: 5000, characters: 1_000_000 };

/** Shown in place of a value that only a getter could tell. */
export const getterShown = own.freeze({ __proto__: null });

/** The message for a value that is handed to the host as data. */
export function encode(value) {
  return message(value, dataValue, undefined, false);
}

/** The message for a step's value: data as far as it is data, a name for what cannot leave. */
export function encodeResult(value) {
  return message(value, resultValue, undefined, false);
}

/** The message for a value that is only shown: large values are cut, everything has some form. */
export function describe(value) {
  return message(value, shownValue, usualSizes, false);
}

/** A Map of these names and values, shown without running guest code; not even the text of an error may. */
export function inspect(names, values, sizes, focus) {
  const state = stateOf(shownValue, sizes, true);
  state.focus = focus;
  // The Map is node 0 and all of it is there, however little is shown of each value.
  textNode(state, '');
  let map = '["M"';
  for (let index = 0; index < names.length; index++)
    map += `,${own.quote(names[index])},${shownValue(state, values[index], 1)}`;
  return `[[0],${map}]${nodes(state, 1)}]`;
}

function message(value, member, sizes, quiet) {
  const state = stateOf(member, sizes, quiet);
  const root = member(state, value, 0);
  return `[${root}${nodes(state, 0)}]`;
}

function stateOf(member, sizes, quiet) {
  return {
    __proto__: null,
    member,
    sizes,
    quiet,
    indices: new own.MapClass(),
    nodes: own.list(),
    depths: own.list(),
    texts: own.list(),
    count: 0,
    characters: 0,
    focus: undefined,
  };
}

function nodes(state, first) {
  let text = '';
  // Nodes found on the way are appended to the list being walked, so nesting costs no stack.
  for (let index = first; index < state.count; index++) {
    const shown = state.texts[index];
    if (typeof shown === 'number') text += `,["+",${shown}]`;
    else if (shown !== undefined) text += `,["T",${own.quote(shown)}]`;
    else text += `,${state.sizes === undefined ? node(state, index) : shownNode(state, index)}`;
  }
  return text;
}

function dataValue(state, value, depth) {
  if (typeof value === 'symbol')
    throw new own.TypeErrorClass('A symbol cannot be handed to the application. Use a string.');
  return simpleValue(value) ?? reference(state, value, depth);
}

function resultValue(state, value, depth) {
  if (typeof value === 'symbol') return textNode(state, own.symbolText(value));
  return simpleValue(value) ?? reference(state, value, depth);
}

function shownValue(state, value, depth) {
  if (typeof value === 'symbol') return textNode(state, own.symbolText(value));
  if (typeof value === 'string') return own.quote(shownText(state, value));
  if (value === getterShown) return textNode(state, '[getter]');
  return simpleValue(value) ?? reference(state, value, depth);
}

function shownText(state, text) {
  const { sizes } = state;
  const limit = state.characters > sizes.characters ? 20 : sizes.text;
  state.characters += text.length < limit ? text.length : limit;
  return text.length > limit ? `${own.stringSlice(text, 0, limit)}… (${text.length} characters)` : text;
}

/** A value that is neither an object nor a symbol; undefined for those. */
export function simpleValue(value) {
  switch (typeof value) {
    case 'string':
      return own.quote(value);
    case 'number':
      // Zero is told from minus zero by what one is divided by it.
      if (value === 0) return 1 / value > 0 ? '0' : '["n","-0"]';
      return value - value === 0 ? `${value}` : `["n","${value}"]`;
    case 'boolean':
      return value ? 'true' : 'false';
    case 'undefined':
      return '["u"]';
    case 'bigint':
      return `["b","${own.bigIntText(value)}"]`;
    default:
      return value === null ? 'null' : undefined;
  }
}

function reference(state, value, depth) {
  const known = own.mapGet(state.indices, value);
  if (known !== undefined) return `[${known}]`;
  if (state.sizes !== undefined && state.count >= state.sizes.nodes) return textNode(state, '…');
  const index = state.count++;
  own.mapSet(state.indices, value, index);
  state.nodes[index] = value;
  state.depths[index] = depth;
  state.texts[index] = undefined;
  return `[${index}]`;
}

/** A node that stands for something that can be told only as text. */
function textNode(state, text) {
  const index = state.count++;
  state.nodes[index] = undefined;
  state.depths[index] = 0;
  state.texts[index] = text;
  return `[${index}]`;
}

/** A node that stands for so many members that are not shown. */
function cutNode(state, count) {
  return textNode(state, count);
}

// Whatever is odd about a value that is only shown, it must not keep the others from being shown.
function shownNode(state, index) {
  const value = state.nodes[index];
  const token = references.tokenOf(value);
  if (token !== undefined) return `["H",${own.quote(token)}]`;
  if (isProxy(value)) return '["T","[proxy]"]';
  try {
    if (typeof value === 'function') return functionNode(value);
    if (state.depths[index] >= state.sizes.depth) return `["T","${own.isArray(value) ? '[…]' : '{…}'}"]`;
    return objectNode(state, value, state.depths[index]);
  } catch {
    return '["T","[unreadable]"]';
  }
}

function node(state, index) {
  const value = state.nodes[index];
  const token = references.tokenOf(value);
  if (token !== undefined) return `["H",${own.quote(token)}]`;
  if (typeof value === 'function')
    return state.member === dataValue ? `["C",${callbackFor(value)},${nameOf(value)}]` : functionNode(value);
  return objectNode(state, value, state.depths[index]);
}

function objectNode(state, value, depth) {
  if (own.isArray(value)) return arrayNode(state, value, depth);
  const prototype = own.getPrototypeOf(value);
  if (prototype === own.objectPrototype || prototype === null) return membersNode(state, '["O"', value, depth);
  return builtinNode(state, value, depth) ?? instanceNode(state, value, depth);
}

function arrayNode(state, value, depth) {
  const { length } = value;
  const { first, end } = pageOf(state, value, length);
  let text = '["A"';
  for (let index = first; index < end; index++) {
    if (state.sizes === undefined)
      text += own.hasOwn(value, index) ? `,${state.member(state, value[index], depth + 1)}` : ',["h"]';
    else text += `,${shownMember(state, value, index, depth) ?? '["h"]'}`;
  }
  if (end < length) text += `,${cutNode(state, length - end)}`;
  return `${text}]`;
}

function membersNode(state, start, value, depth) {
  const names = own.objectKeys(value);
  const shown = state.sizes !== undefined;
  const { first, end } = pageOf(state, value, names.length);
  let text = start;
  for (let index = first; index < end; index++) {
    const name = names[index];
    if (shown) text += `,${own.quote(shownText(state, name))},${shownMember(state, value, name, depth) ?? '["u"]'}`;
    else text += `,${own.quote(name)},${state.member(state, value[name], depth + 1)}`;
  }
  if (end < names.length) text += `,"…",${cutNode(state, names.length - end)}`;
  return `${text}]`;
}

/** Which members of a value are shown: one that is looked at by itself has a page of its own. */
function pageOf(state, value, length) {
  const { sizes, focus } = state;
  if (sizes === undefined) return { __proto__: null, first: 0, end: length };
  const isFocus = focus !== undefined && value === focus;
  const first = isFocus ? own.min(sizes.offset, length) : 0;
  return { __proto__: null, first, end: own.min(first + (isFocus ? sizes.limit : sizes.items), length) };
}

/** Says that there is no such member. */
export const missing = own.freeze({ __proto__: null });

/** A member by its name or place, found without running guest code. */
export function memberOf(value, key) {
  if (typeof value !== 'object' || value === null || isProxy(value) || references.tokenOf(value) !== undefined)
    return missing;
  if (attempt(own.mapSize, value) !== failed) return entryOf(value, key, own.mapForEach, true);
  if (attempt(own.setSize, value) !== failed) return entryOf(value, key, own.setForEach, false);
  const name = typeof key === 'number' && !own.isArray(value) ? own.objectKeys(value)[key] : key;
  const descriptor = name === undefined ? undefined : own.getOwnPropertyDescriptor(value, name);
  return descriptor !== undefined && own.hasOwn(descriptor, 'value') ? descriptor.value : missing;
}

/** Of a map by a key that is text, or by the place of the entry; of a set by place. */
function entryOf(value, key, forEach, keyed) {
  let found = missing;
  let count = 0;
  forEach(value, (item, name) => {
    if (count++ === key || (keyed && typeof key === 'string' && name === key)) found = item;
  });
  return found;
}

/** A member as it is shown, without asking a getter; undefined if there is none. */
function shownMember(state, value, name, depth) {
  const descriptor = own.getOwnPropertyDescriptor(value, name);
  if (descriptor === undefined) return undefined;
  return state.member(state, own.hasOwn(descriptor, 'value') ? descriptor.value : getterShown, depth + 1);
}

// Builtin objects are told by what their methods accept, not by their prototypes, which guest code may have changed.
function builtinNode(state, value, depth) {
  if (own.isError(value)) return errorNode(state, value, depth);
  const typed = own.typedArrayName(value);
  if (typed !== undefined)
    return bytesNode(
      state,
      typed,
      own.typedArrayBuffer(value),
      own.typedArrayOffset(value),
      own.typedArrayBytes(value),
    );
  const time = attempt(own.dateTime, value);
  if (time !== failed) return `["D",${own.isNaN(time) ? 'null' : time}]`;
  if (attempt(own.mapSize, value) !== failed) return entriesNode(state, '["M"', value, own.mapForEach, true, depth);
  if (attempt(own.setSize, value) !== failed) return entriesNode(state, '["S"', value, own.setForEach, false, depth);
  const length = attempt(own.bufferLength, value);
  if (length !== failed) return bytesNode(state, 'ArrayBuffer', value, 0, length);
  const viewed = attempt(own.dataViewBytes, value);
  if (viewed !== failed)
    return bytesNode(state, 'DataView', own.dataViewBuffer(value), own.dataViewOffset(value), viewed);
  if (own.isRegExp(value)) return `["X",${own.quote(own.regExpSource(value))},${own.quote(own.regExpFlags(value))}]`;
  return undefined;
}

function entriesNode(state, start, value, forEach, keyed, depth) {
  const { first, end } = pageOf(state, value, 1e9);
  let text = start;
  let count = 0;
  forEach(value, (item, key) => {
    const place = count++;
    if (place < first || place >= end) return;
    if (keyed) text += `,${state.member(state, key, depth + 1)}`;
    text += `,${state.member(state, item, depth + 1)}`;
  });
  if (count > end) {
    const more = cutNode(state, count - end);
    text += keyed ? `,"…",${more}` : `,${more}`;
  }
  return `${text}]`;
}

function errorNode(state, value, depth) {
  const name = errorText(state, value, 'name') || 'Error';
  const text = errorText(state, value, 'message');
  const stack = dataOf(value, 'stack') ?? attempt(own.errorStack, value);
  const start = `["E",${own.quote(name)},${own.quote(text)},${own.quote(typeof stack === 'string' ? stack : '')}`;
  const cause = dataOf(value, 'cause');
  const withCause = cause === undefined ? start : `${start},"cause",${state.member(state, cause, depth + 1)}`;
  return membersNode(state, withCause, value, depth);
}

const longestErrorText = 100_000;

/** A text of an error, found without running guest code; where that does not find it and guest code may run, as it is read. */
function errorText(state, value, name) {
  let found = failed;
  let object = value;
  for (let hops = 0; hops < 16 && object !== null && !isProxy(object); hops++) {
    const descriptor = own.getOwnPropertyDescriptor(object, name);
    if (descriptor !== undefined) {
      if (own.hasOwn(descriptor, 'value')) found = descriptor.value;
      break;
    }
    object = own.getPrototypeOf(object);
  }
  if (typeof found !== 'string') found = state.quiet ? '' : attempt(readText, { __proto__: null, value, name });
  if (typeof found !== 'string') return '';
  return found.length > longestErrorText ? `${own.stringSlice(found, 0, longestErrorText)}…` : found;
}

function readText({ value, name }) {
  const found = value[name];
  return found === undefined ? '' : own.toText(found);
}

/** The value of a member that is not a getter. */
function dataOf(object, name) {
  const descriptor = own.getOwnPropertyDescriptor(object, name);
  return descriptor !== undefined && own.hasOwn(descriptor, 'value') ? descriptor.value : undefined;
}

function bytesNode(state, name, buffer, offset, length) {
  if (state.sizes !== undefined && length > state.sizes.text) return `["T","[${name} of ${length} bytes]"]`;
  return `["Y","${name}","${toBase64(new own.byteClasses.Uint8Array(buffer, offset, length), length)}"]`;
}

// Handed to the host an instance is its data; shown, it is told apart by its class's name.
function instanceNode(state, value, depth) {
  if (state.member !== dataValue) return membersNode(state, `["I",${own.quote(classNameOf(value))}`, value, depth);
  if (own.isPrototypeOf(own.promisePrototype, value))
    throw new own.TypeErrorClass('A promise cannot be handed to the application. Await it first.');
  return membersNode(state, '["O"', value, depth);
}

function classNameOf(value) {
  let prototype = own.getPrototypeOf(value);
  for (let steps = 0; steps < 50 && prototype !== null && !isProxy(prototype); steps++) {
    const constructor = dataOf(prototype, 'constructor');
    if (typeof constructor === 'function' && !isProxy(constructor)) {
      const name = dataOf(constructor, 'name');
      if (typeof name === 'string' && name !== '') return name;
    }
    prototype = own.getPrototypeOf(prototype);
  }
  return 'Object';
}

function functionNode(value) {
  const isClass = own.stringIndexOf(own.functionText(value), 'class') === 0;
  return `["F","${isClass ? 'class' : 'function'}",${nameOf(value)}]`;
}

function nameOf(value) {
  const name = isProxy(value) ? '' : dataOf(value, 'name');
  return own.quote(typeof name === 'string' ? name : '');
}

function callbackFor(callback) {
  const id = references.callbackFor(callback);
  if (id === 0)
    throw new own.TypeErrorClass(
      'A function can be handed to the application only as an argument of a call, for the time of that call.',
    );
  return id;
}

const failed = own.freeze({ __proto__: null });
function attempt(action, value) {
  try {
    return action(value);
  } catch {
    return failed;
  }
}
