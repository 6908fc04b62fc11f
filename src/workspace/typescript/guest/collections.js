// Live collections of the application: array-, map- and set-like handles. Reading one asks the host, page by page where
// it is iterated; writing goes through.
import { ask, operation } from './host.js';
import * as own from './primordials.js';
import { encode } from './wire.js';

export const pageItems = 100;

/** Set by handles.js: tokens by handle, for the map and set classes below. */
const tokens = new own.WeakMapClass();

export function collectionHandle(token, form) {
  if (form === 'array') return arrayHandle(token);
  const handle = own.preventExtensions(own.create(form === 'map' ? mapPrototype : setPrototype));
  own.weakMapSet(tokens, handle, token);
  return handle;
}

function request(token, change, parameters) {
  return ask(operation.collection, encode([token, change, parameters]));
}

function tokenOf(handle) {
  const token = typeof handle === 'object' && handle !== null ? own.weakMapGet(tokens, handle) : undefined;
  if (token === undefined) throw new own.TypeErrorClass('This is not a collection of the application.');
  return token;
}

/** An iterator over pages of entries; `pick` makes the value of one. */
function pages(token, pick) {
  let page = [];
  let position = 0;
  let start = 0;
  return iteratorOf(() => {
    if (page !== undefined && position >= page.length) {
      page = request(token, 'page', [start, pageItems]);
      start += page.length;
      position = 0;
      if (page.length === 0) page = undefined;
    }
    if (page === undefined) return { value: undefined, done: true };
    return { value: pick(page[position++]), done: false };
  });
}

export function iteratorOf(next) {
  const iterator = own.create(iteratorPrototype);
  own.defineProperty(iterator, 'next', { __proto__: null, value: next });
  return iterator;
}

// The language's own iterator prototype, so that `map`, `filter` and `take` work on iterators too.
const iteratorPrototype = own.getPrototypeOf(own.getPrototypeOf([][own.symbolIterator]()));

const itself = (item) => item;

function indexOf(key) {
  if (typeof key !== 'string' || key === '') return -1;
  const index = own.toNumber(key);
  return own.isInteger(index) && index >= 0 && own.toText(index) === key ? index : -1;
}

function put(array, index, value) {
  own.defineProperty(array, index, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
}

/** Methods that would ask for every element, done by the host in one request. */
function arrayMethods(token, size) {
  const splice = (start, count, items) => request(token, 'splice', [start, count, items]);
  const place = (value, length, absent) => {
    if (value === undefined) return absent;
    const index = own.truncate(own.toNumber(value)) || 0;
    return index < 0 ? own.max(length + index, 0) : own.min(index, length);
  };
  return own.freeze({
    __proto__: null,
    push(...items) {
      splice(size(), 0, items);
      return size();
    },
    pop() {
      const length = size();
      return length === 0 ? undefined : splice(length - 1, 1, [])[0];
    },
    shift() {
      return splice(0, 1, [])[0];
    },
    unshift(...items) {
      splice(0, 0, items);
      return size();
    },
    splice(...parameters) {
      const length = size();
      const start = place(parameters[0], length, 0);
      const given = parameters.length === 1 ? length : own.truncate(own.toNumber(parameters[1])) || 0;
      const items = [];
      for (let index = 2; index < parameters.length; index++) put(items, index - 2, parameters[index]);
      return splice(start, parameters.length === 0 ? 0 : own.min(own.max(given, 0), length - start), items);
    },
    slice(first, last) {
      const length = size();
      const end = place(last, length, length);
      const found = [];
      let count = 0;
      for (let start = place(first, length, 0); start < end;) {
        const page = request(token, 'page', [start, own.min(end - start, pageItems)]);
        if (page.length === 0) break;
        for (let index = 0; index < page.length; index++) put(found, count++, page[index]);
        start += page.length;
      }
      return found;
    },
    values: () => pages(token, itself),
  });
}

function arrayHandle(token) {
  const size = () => request(token, 'size', []);
  const methods = arrayMethods(token, size);
  return new own.ProxyClass([], {
    __proto__: null,
    get(target, key, receiver) {
      const index = indexOf(key);
      if (index >= 0) return request(token, 'at', [index]);
      if (key === 'length') return size();
      if (key === own.symbolIterator) return methods.values;
      if (typeof key === 'string' && own.hasOwn(methods, key)) return methods[key];
      return own.reflectGet(target, key, receiver);
    },
    set(_target, key, value) {
      const index = indexOf(key);
      if (index >= 0) request(token, 'put', [index, value]);
      else if (key === 'length') request(token, 'resize', [value]);
      else return false;
      return true;
    },
    has(target, key) {
      const index = indexOf(key);
      return index >= 0 ? index < size() : key in target;
    },
    deleteProperty(_target, key) {
      const index = indexOf(key);
      if (index < 0) return false;
      request(token, 'put', [index, undefined]);
      return true;
    },
    defineProperty(_target, key, descriptor) {
      const index = indexOf(key);
      if (index < 0 || !own.hasOwn(descriptor, 'value')) return false;
      request(token, 'put', [index, descriptor.value]);
      return true;
    },
    ownKeys() {
      const keys = [];
      const length = size();
      for (let index = 0; index < length; index++) put(keys, index, own.toText(index));
      put(keys, length, 'length');
      return keys;
    },
    getOwnPropertyDescriptor(_target, key) {
      if (key === 'length')
        return { __proto__: null, value: size(), writable: true, enumerable: false, configurable: false };
      const index = indexOf(key);
      if (index < 0 || index >= size()) return undefined;
      return {
        __proto__: null,
        value: request(token, 'at', [index]),
        writable: true,
        enumerable: true,
        configurable: true,
      };
    },
    setPrototypeOf: () => false,
    preventExtensions: () => false,
  });
}

const mapPrototype = prototypeOf(own.MapClass.prototype, {
  __proto__: null,
  get(key) {
    return request(tokenOf(this), 'get', [key]);
  },
  set(key, value) {
    request(tokenOf(this), 'set', [key, value]);
    return this;
  },
  entries() {
    return pages(tokenOf(this), itself);
  },
  keys() {
    return pages(tokenOf(this), (entry) => entry[0]);
  },
  values() {
    return pages(tokenOf(this), (entry) => entry[1]);
  },
  forEach(callback, receiver) {
    const iterator = pages(tokenOf(this), itself);
    for (let step = iterator.next(); !step.done; step = iterator.next())
      own.apply(callback, receiver, [step.value[1], step.value[0], this]);
  },
});

const setPrototype = prototypeOf(own.SetClass.prototype, {
  __proto__: null,
  add(value) {
    request(tokenOf(this), 'add', [value]);
    return this;
  },
  values() {
    return pages(tokenOf(this), itself);
  },
  entries() {
    return pages(tokenOf(this), (item) => [item, item]);
  },
  forEach(callback, receiver) {
    const iterator = pages(tokenOf(this), itself);
    for (let step = iterator.next(); !step.done; step = iterator.next())
      own.apply(callback, receiver, [step.value, step.value, this]);
  },
});

/** A prototype that answers everything the builtin one does, through the host. */
function prototypeOf(builtin, methods) {
  const prototype = own.create(builtin);
  const define = (name, value) =>
    own.defineProperty(prototype, name, {
      __proto__: null,
      value,
      writable: false,
      enumerable: false,
      configurable: false,
    });
  for (const name of own.ownKeys(methods)) define(name, methods[name]);
  define('has', function has(key) {
    return request(tokenOf(this), 'has', [key]);
  });
  define('delete', function remove(key) {
    return request(tokenOf(this), 'delete', [key]);
  });
  define('clear', function clear() {
    request(tokenOf(this), 'clear', []);
  });
  define(own.symbolIterator, methods.add === undefined ? methods.entries : methods.values);
  if (methods.add !== undefined) define('keys', methods.values);
  own.defineProperty(prototype, 'size', {
    __proto__: null,
    get() {
      return request(tokenOf(this), 'size', []);
    },
    enumerable: false,
    configurable: false,
  });
  // Set algebra works on a copy; it makes a new set anyway.
  for (const name of [
    'union',
    'intersection',
    'difference',
    'symmetricDifference',
    'isSubsetOf',
    'isSupersetOf',
    'isDisjointFrom',
  ]) {
    const method = methods.add === undefined ? undefined : builtin[name];
    if (method !== undefined)
      define(
        name,
        {
          [name](other) {
            return own.apply(method, copyOf(this), [other]);
          },
        }[name],
      );
  }
  return own.freeze(prototype);
}

function copyOf(handle) {
  const copy = new own.SetClass();
  const iterator = pages(tokenOf(handle), itself);
  for (let step = iterator.next(); !step.done; step = iterator.next()) own.setAdd(copy, step.value);
  return copy;
}
