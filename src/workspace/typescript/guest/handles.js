// Handles: what guest code holds for objects of the application. A handle has just the fields and methods that were
// exposed; each use is a call to the host, which checks it. Which token belongs to a handle is known here alone.
import { withCallbacks } from './callbacks.js';
import { collectionHandle, iteratorOf, pageItems } from './collections.js';
import { promiseOf } from './futures.js';
import { invoke, read, send } from './connection.js';
import { ask, operation, valueOf } from './host.js';
import { recordHandle } from './records.js';
import * as own from './primordials.js';
import { encode, references, simpleValue } from './wire.js';

/** Token of each handle. */
const tokens = new own.WeakMapClass();
/** Handles by token, as long as somebody holds them: the same object is the same handle. */
let handles = new own.MapClass();
let handlesAfterSweep = 0;
/** What the objects of one kind offer, by the kind's number. */
const kinds = new own.MapClass();
/** What the host said of an object, by the text it came as. */
const shapes = new own.MapClass();
/** Names of the classes a handle's object is an instance of. */
const classesOf = new own.WeakMapClass();

references.tokenOf = (value) => own.weakMapGet(tokens, value);

references.handleFor = (token) => {
  const known = own.mapGet(handles, token);
  const live = known && own.weakRefTarget(known);
  if (live !== undefined) return live;
  const handle = make(token, shapeOf(token));
  own.weakMapSet(tokens, handle, token);
  own.mapSet(handles, token, new own.WeakRefClass(handle));
  sweep();
  return handle;
};

// Most objects are of a kind that was met before, and reading the text again would take longer than all the rest.
function shapeOf(token) {
  const answer = send(operation.shape, token);
  let shape = own.mapGet(shapes, answer);
  if (shape === undefined) own.mapSet(shapes, answer, (shape = valueOf(answer)));
  return shape;
}

/** The tokens of all handles that are still held, as a list in JSON. */
export function heldTokens() {
  let held = '';
  own.mapForEach(handles, (reference, token) => {
    if (own.weakRefTarget(reference) !== undefined) held += held === '' ? own.quote(token) : `,${own.quote(token)}`;
  });
  return `[${held}]`;
}

// Entries of handles that are gone are dropped now and then, when their number may have doubled.
function sweep() {
  if (own.mapSize(handles) < 2 * handlesAfterSweep + 100) return;
  const kept = new own.MapClass();
  own.mapForEach(handles, (reference, token) => {
    if (own.weakRefTarget(reference) !== undefined) own.mapSet(kept, token, reference);
  });
  handles = kept;
  handlesAfterSweep = own.mapSize(kept);
}

function make(token, shape) {
  if (shape.form === 'function') return functionHandle(token, shape.name);
  if (shape.form === 'class') return classHandle(token, shape);
  if (shape.form !== 'object' && shape.form !== 'record') return collectionHandle(token, shape.form);
  let kind = own.mapGet(kinds, shape.kind);
  if (kind === undefined) own.mapSet(kinds, shape.kind, (kind = kindOf(shape)));
  if (shape.form === 'record') {
    const record = recordHandle(token, kind.prototype, methodOf);
    if (shape.is !== undefined) own.weakMapSet(classesOf, record, shape.is);
    return record;
  }
  const handle = own.create(kind.prototype);
  for (let index = 0; index < kind.names.length; index++) {
    const name = kind.names[index];
    own.defineProperty(handle, name, kind.fields[name]);
  }
  return own.preventExtensions(handle);
}

/** Getters, setters and methods shared by all handles of a kind. */
function kindOf({ name, fields, methods, iterable, form }) {
  const prototype = own.create(own.objectPrototype);
  // A plain object of the application is a plain object to everybody.
  if (form !== 'record' || name !== 'Object')
    own.defineProperty(prototype, own.symbolToStringTag, { __proto__: null, value: name });
  if (iterable) own.defineProperty(prototype, own.symbolIterator, { __proto__: null, value: iteratePages });
  for (let index = 0; index < methods.length; index++) {
    const method = methods[index];
    own.defineProperty(prototype, method, {
      __proto__: null,
      value: methodOf(method),
      writable: false,
      enumerable: false,
      configurable: false,
    });
  }
  const names = own.list();
  const accessors = { __proto__: null };
  for (let index = 0; index < fields.length; index++) {
    const { name: field, writable } = fields[index];
    names[index] = field;
    accessors[field] = {
      __proto__: null,
      get() {
        return valueOf(read(tokenOf(this), field));
      },
      set: writable
        ? function set(value) {
            ask(operation.set, encode([tokenOf(this), field, value]));
          }
        : undefined,
      enumerable: true,
      configurable: false,
    };
  }
  return { __proto__: null, prototype: own.freeze(prototype), names, fields: accessors };
}

function methodOf(name) {
  // A method with the name it is called by, so that error traces read well.
  return {
    [name](...parameters) {
      return call(tokenOf(this), name, parameters);
    },
  }[name];
}

/** What the host has many of comes page by page. */
function iteratePages() {
  const token = tokenOf(this);
  let items = own.list();
  let position = 0;
  let cursor;
  let isLast = false;
  return iteratorOf(() => {
    while (position >= items.length && !isLast) {
      const page = call(token, 'page', [pageItems, cursor]);
      items = page.items;
      position = 0;
      cursor = page.cursor;
      isLast = cursor === undefined;
    }
    return position < items.length ? { value: items[position++], done: false } : { value: undefined, done: true };
  });
}

/** A durable class: `new` makes the object on the host, `instanceof` asks what a handle's object is. */
function classHandle(token, { name, methods }) {
  const handle = {
    [name]: function (...parameters) {
      if (new.target === undefined)
        throw new own.TypeErrorClass(`${name} is a class of the application: make objects with new ${name}(…).`);
      if (new.target !== handle)
        throw new own.TypeErrorClass(`${name} is a class of the application and cannot be extended here.`);
      return withCallbacks(() => ask(operation.construct, encode([token, parameters])));
    },
  }[name];
  const define = (key, value) =>
    own.defineProperty(handle, key, {
      __proto__: null,
      value,
      writable: false,
      enumerable: false,
      configurable: false,
    });
  define('prototype', own.freeze({ __proto__: null }));
  define(own.symbolHasInstance, (value) => {
    const classes = isReference(value) ? own.weakMapGet(classesOf, value) : undefined;
    const count = classes === undefined ? 0 : classes.length;
    for (let index = 0; index < count; index++) if (classes[index] === name) return true;
    return false;
  });
  for (let index = 0; index < methods.length; index++) define(methods[index], methodOf(methods[index]));
  return own.freeze(handle);
}

function isReference(value) {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

function functionHandle(token, name) {
  const handle = {
    [name](...parameters) {
      return call(token, '', parameters);
    },
  }[name];
  return own.freeze(handle);
}

/** Calls a method (or, with no name, the function itself). The answer may be a future. */
export function call(token, method, parameters) {
  if (arePlain(parameters)) return resultOf(invoke(token, method, parameters));
  const text = simpleCall(token, method, parameters);
  if (text !== undefined) return resultOf(send(operation.call, text));
  return withCallbacks(() => resultOf(send(operation.call, encode([token, method, parameters]))));
}

/** Whether these are few enough, and primitive: they cross as they are. */
function arePlain(parameters) {
  if (parameters.length > 3) return false;
  for (let index = 0; index < parameters.length; index++) {
    const value = parameters[index];
    const type = typeof value;
    const isPlain = type === 'object' ? value === null : type !== 'function' && type !== 'bigint' && type !== 'symbol';
    if (!isPlain) return false;
  }
  return true;
}

/** The message of a call whose parameters are all primitive, as most are; undefined for others. */
function simpleCall(token, method, parameters) {
  let text = `[[0],["A",${own.quote(token)},${own.quote(method)},[1]],["A"`;
  for (let index = 0; index < parameters.length; index++) {
    const simple = simpleValue(parameters[index]);
    if (simple === undefined) return undefined;
    text += `,${simple}`;
  }
  return `${text}]]`;
}

function resultOf(answer) {
  if (typeof answer === 'string' && answer[0] === '~') return promiseOf(own.toNumber(own.stringSlice(answer, 1)));
  return valueOf(answer);
}

function tokenOf(handle) {
  const token = isReference(handle) ? own.weakMapGet(tokens, handle) : undefined;
  if (token === undefined) throw new own.TypeErrorClass('This is not an object of the application.');
  return token;
}
