// The guest's side of the form in which values cross to and from the host; wire.ts describes it.
import { fromBase64, toBase64 } from './base64.js';
import * as own from './primordials.js';

/** Set by handles.js and calls.js: how objects that cross by reference are named and made. */
export const references = {
  __proto__: null,
  /** The token of a handle, or undefined if the value is not one. */
  tokenOf: (_value) => undefined,
  /** The handle for a token. */
  handleFor: (_token) => undefined,
  /** Names a guest function for the time of one call; 0 where functions cannot cross. */
  callbackFor: (_callback) => 0,
};

/** A text that stands for something that cannot be shown in any other way. Guest code never gets to see one. */
class Shown {
  constructor(text) {
    this.text = text;
  }
}

// Plenty for ordinary values; what is deeper or wider is cut when it is only shown.
const shownItems = 100;
const shownDepth = 6;
const shownText = 20_000;

/** The message for a value that is handed to the host as data. */
export function encode(value) {
  return message(value, dataValue);
}

/** The message for a step's value: data as far as it is data, a name for what cannot leave. */
export function encodeResult(value) {
  return message(value, resultValue);
}

/** The message for a value that is only shown: nothing is called, large values are cut, everything has some form. */
export function describe(value) {
  return message(value, shownValue);
}

function message(value, encodeMember) {
  const simple = typeof value === 'symbol' ? undefined : simpleValue(value);
  if (simple !== undefined) return `[${simple}]`;
  const state = { __proto__: null, indices: new own.MapClass(), nodes: [], depths: [], count: 0, member: encodeMember };
  let text = `[${encodeMember(state, value, 0)}`;
  // Nodes found on the way are appended to the list being walked, so nesting costs no stack.
  for (let index = 0; index < state.count; index++) text += `,${node(state, state.nodes[index], state.depths[index])}`;
  return `${text}]`;
}

function dataValue(state, value, depth) {
  switch (typeof value) {
    case 'symbol':
      throw new own.TypeErrorClass('A symbol cannot be handed to the application. Use a string.');
    default:
      return simpleValue(value) ?? reference(state, value, depth);
  }
}

function resultValue(state, value, depth) {
  if (typeof value === 'symbol') return reference(state, new Shown(own.symbolText(value)), depth);
  return simpleValue(value) ?? reference(state, value, depth);
}

function shownValue(state, value, depth) {
  if (typeof value === 'symbol') return reference(state, new Shown(own.symbolText(value)), depth);
  if (typeof value === 'string' && value.length > shownText) {
    return own.quote(`${own.stringSlice(value, 0, shownText)}… (${value.length} characters)`);
  }
  return simpleValue(value) ?? reference(state, value, depth);
}

function simpleValue(value) {
  switch (typeof value) {
    case 'string':
      return own.quote(value);
    case 'number':
      if (value - value === 0 && !own.is(value, -0)) return own.quote(value);
      return `["n","${own.is(value, -0) ? '-0' : own.toText(value)}"]`;
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
  let index = own.mapGet(state.indices, value);
  if (index === undefined) {
    index = state.count++;
    own.mapSet(state.indices, value, index);
    own.defineProperty(state.nodes, index, {
      __proto__: null,
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
    own.defineProperty(state.depths, index, {
      __proto__: null,
      value: depth,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }
  return `[${index}]`;
}

function node(state, value, depth) {
  const shown = state.member === shownValue;
  const data = state.member === dataValue;
  const token = references.tokenOf(value);
  if (token !== undefined) return `["H",${own.quote(token)}]`;
  if (typeof value === 'function') return data ? `["C",${callbackFor(value)}]` : shownFunction(value);
  if (!data && own.getPrototypeOf(value) === Shown.prototype) return `["T",${own.quote(value.text)}]`;
  if (shown && depth >= shownDepth) return `["T",${own.quote(own.isArray(value) ? '[…]' : '{…}')}]`;
  if (own.isArray(value)) return arrayNode(state, value, depth);
  const prototype = own.getPrototypeOf(value);
  if (prototype === own.objectPrototype || prototype === null) return membersNode(state, '["O"', value, depth);
  return builtinNode(state, value, depth) ?? instanceNode(state, value, depth, data);
}

function arrayNode(state, value, depth) {
  const limit = state.member === shownValue && value.length > shownItems ? shownItems : value.length;
  let text = '["A"';
  for (let index = 0; index < limit; index++)
    text += own.hasOwn(value, index) ? `,${state.member(state, value[index], depth + 1)}` : ',["h"]';
  if (limit < value.length) text += `,${cut(state, value.length - limit)}`;
  return `${text}]`;
}

function membersNode(state, start, value, depth) {
  const names = own.objectKeys(value);
  const shown = state.member === shownValue;
  const limit = shown && names.length > shownItems ? shownItems : names.length;
  let text = start;
  for (let index = 0; index < limit; index++) {
    const name = names[index];
    text += `,${own.quote(name)},`;
    const descriptor = shown ? own.getOwnPropertyDescriptor(value, name) : undefined;
    if (descriptor !== undefined && !own.hasOwn(descriptor, 'value'))
      text += reference(state, new Shown('[getter]'), depth + 1);
    else text += state.member(state, shown ? descriptor.value : value[name], depth + 1);
  }
  if (limit < names.length) text += `,"…",${cut(state, names.length - limit)}`;
  return `${text}]`;
}

// Builtin objects are told by what their methods accept, not by their prototypes, which guest code may have changed.
function builtinNode(state, value, depth) {
  if (own.isError(value)) return errorNode(state, value, depth);
  const typed = own.typedArrayName(value);
  if (typed !== undefined)
    return bytesNode(typed, own.typedArrayBuffer(value), own.typedArrayOffset(value), own.typedArrayBytes(value));
  const time = attempt(own.dateTime, value);
  if (time !== failed) return `["D",${own.isNaN(time) ? 'null' : time}]`;
  if (attempt(own.mapSize, value) !== failed) return entriesNode(state, '["M"', value, own.mapForEach, true, depth);
  if (attempt(own.setSize, value) !== failed) return entriesNode(state, '["S"', value, own.setForEach, false, depth);
  const length = attempt(own.bufferLength, value);
  if (length !== failed) return bytesNode('ArrayBuffer', value, 0, length);
  const viewed = attempt(own.dataViewBytes, value);
  if (viewed !== failed) return bytesNode('DataView', own.dataViewBuffer(value), own.dataViewOffset(value), viewed);
  if (own.isRegExp(value)) return `["X",${own.quote(own.regExpSource(value))},${own.quote(own.regExpFlags(value))}]`;
  return undefined;
}

function entriesNode(state, start, value, forEach, keyed, depth) {
  const limit = state.member === shownValue ? shownItems : 1e9;
  let text = start;
  let count = 0;
  forEach(value, (item, key) => {
    if (count++ >= limit) return;
    if (keyed) text += `,${state.member(state, key, depth + 1)}`;
    text += `,${state.member(state, item, depth + 1)}`;
  });
  if (count > limit) text += keyed ? `,"…",${cut(state, count - limit)}` : `,${cut(state, count - limit)}`;
  return `${text}]`;
}

function errorNode(state, value, depth) {
  const textOf = (name) => {
    const found = attempt(() => value[name]);
    return found === failed || found === undefined ? '' : own.toText(found);
  };
  const start = `["E",${own.quote(textOf('name') || 'Error')},${own.quote(textOf('message'))},${own.quote(textOf('stack'))}`;
  const cause = own.getOwnPropertyDescriptor(value, 'cause');
  const withCause =
    cause === undefined || !own.hasOwn(cause, 'value')
      ? start
      : `${start},"cause",${state.member(state, cause.value, depth + 1)}`;
  return membersNode(state, withCause, value, depth);
}

function bytesNode(name, buffer, offset, length) {
  return `["Y","${name}","${toBase64(new own.byteClasses.Uint8Array(buffer, offset, length), length)}"]`;
}

// Handed to the host an instance is its data; shown, it is told apart by its class's name.
function instanceNode(state, value, depth, data) {
  if (data) return membersNode(state, '["O"', value, depth);
  return membersNode(state, `["I",${own.quote(classNameOf(value))}`, value, depth);
}

function classNameOf(value) {
  for (
    let prototype = own.getPrototypeOf(value), steps = 0;
    prototype !== null && steps < 50;
    prototype = own.getPrototypeOf(prototype), steps++
  ) {
    const descriptor = own.getOwnPropertyDescriptor(prototype, 'constructor');
    const constructor = descriptor && descriptor.value;
    if (typeof constructor === 'function') {
      const name = own.getOwnPropertyDescriptor(constructor, 'name');
      if (name && typeof name.value === 'string' && name.value !== '') return name.value;
    }
  }
  return 'Object';
}

function shownFunction(value) {
  const name = own.getOwnPropertyDescriptor(value, 'name');
  const isClass = own.stringIndexOf(own.functionText(value), 'class') === 0;
  return `["F","${isClass ? 'class' : 'function'}",${own.quote(name && typeof name.value === 'string' ? name.value : '')}]`;
}

function callbackFor(callback) {
  const id = references.callbackFor(callback);
  if (id === 0)
    throw new own.TypeErrorClass(
      'A function can be handed to the application only as an argument of a call, for the time of that call.',
    );
  return id;
}

function cut(state, count) {
  return reference(state, new Shown(`… ${count} more`), 0);
}

const failed = own.freeze({ __proto__: null });
function attempt(action, value) {
  try {
    return action(value);
  } catch {
    return failed;
  }
}

/** The value of a message from the host. */
export function decode(text) {
  const parts = own.parse(text);
  const made = [];
  for (let index = 1; index < parts.length; index++) made[index - 1] = make(parts[index]);
  for (let index = 1; index < parts.length; index++) fill(made[index - 1], parts[index], made);
  return read(parts[0], made);
}

function read(value, made) {
  if (value === null || typeof value !== 'object') return value;
  const first = value[0];
  if (typeof first === 'number') return made[first];
  if (first === 'n') return own.toNumber(value[1]);
  if (first === 'b') return own.toBigInt(value[1]);
  return undefined;
}

function make(parts) {
  switch (parts[0]) {
    case 'A':
      return [];
    case 'O':
      return {};
    case 'M':
      return new own.MapClass();
    case 'S':
      return new own.SetClass();
    case 'D':
      return new own.DateClass(parts[1] === null ? 0 / 0 : parts[1]);
    case 'Y':
      return bytes(parts[1], fromBase64(parts[2]));
    case 'E':
      return error(parts[1], parts[2]);
    case 'X':
      return new own.RegExpClass(parts[1], parts[2]);
    default:
      return references.handleFor(parts[1]);
  }
}

function fill(target, parts, made) {
  switch (parts[0]) {
    case 'A':
      target.length = parts.length - 1;
      for (let index = 1; index < parts.length; index++) {
        if (!isHole(parts[index])) member(target, index - 1, read(parts[index], made));
      }
      break;
    case 'O':
      for (let index = 1; index < parts.length; index += 2) member(target, parts[index], read(parts[index + 1], made));
      break;
    case 'E':
      for (let index = 4; index < parts.length; index += 2) member(target, parts[index], read(parts[index + 1], made));
      break;
    case 'M':
      for (let index = 1; index < parts.length; index += 2)
        own.mapSet(target, read(parts[index], made), read(parts[index + 1], made));
      break;
    case 'S':
      for (let index = 1; index < parts.length; index++) own.setAdd(target, read(parts[index], made));
      break;
    default:
  }
}

function isHole(value) {
  return value !== null && typeof value === 'object' && value[0] === 'h';
}

function member(target, name, value) {
  own.defineProperty(target, name, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
}

function bytes(name, data) {
  const { buffer } = data;
  return name === 'ArrayBuffer' ? buffer : new own.byteClasses[name](buffer);
}

/** An error of the guest's own, so that its class is the one guest code knows. */
export function error(name, text) {
  const known = own.errorClasses[name];
  const made = new (known ?? own.ErrorClass)(text);
  if (known === undefined)
    own.defineProperty(made, 'name', {
      __proto__: null,
      value: name,
      writable: true,
      enumerable: false,
      configurable: true,
    });
  return made;
}
