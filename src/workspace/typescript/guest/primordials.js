// The language's own functions as they were before guest code ran. Guest code may replace any of them on their objects;
// boot code uses these, so nothing it relies on can be taken from under it. For the same reason boot code uses no
// spread, no destructuring of arrays and no for-of: those look up iterators that guest code can replace.

const { call } = Function.prototype;
/** Makes a method a function that takes its `this` first. */
const free = call.bind.bind(call);

export const globalObject = globalThis;
export const create = Object.create;
export const defineProperty = Object.defineProperty;
export const freeze = Object.freeze;
export const getOwnPropertyDescriptor = Object.getOwnPropertyDescriptor;
export const getPrototypeOf = Object.getPrototypeOf;
const { setPrototypeOf } = Object;
export const hasOwn = Object.hasOwn;
export const preventExtensions = Object.preventExtensions;
export const objectKeys = Object.keys;
export const ownKeys = Reflect.ownKeys;
export const apply = Reflect.apply;
export const reflectGet = Reflect.get;
export const isArray = Array.isArray;
export const max = Math.max;
export const min = Math.min;
export const truncate = Math.trunc;
export const isInteger = Number.isInteger;
export const isNaN = Number.isNaN;
export const parse = JSON.parse;
export const quote = JSON.stringify;
export const toBigInt = BigInt;
export const toNumber = Number;
export const toText = String;
export const objectPrototype = Object.prototype;
export const isError = Error.isError ?? ((value) => value instanceof ErrorClass);
export const isPrototypeOf = free(Object.prototype.isPrototypeOf);
export const functionText = free(Function.prototype.toString);
export const promisePrototype = Promise.prototype;
export const promiseAll = Promise.all.bind(Promise);

export const MapClass = Map;
export const SetClass = Set;
export const WeakMapClass = WeakMap;
export const WeakRefClass = WeakRef;
export const ProxyClass = Proxy;
export const PromiseClass = Promise;
export const DateClass = Date;
export const RegExpClass = RegExp;
export const ErrorClass = Error;
export const SyntaxErrorClass = SyntaxError;
export const TypeErrorClass = TypeError;
export const symbolHasInstance = Symbol.hasInstance;
export const symbolIterator = Symbol.iterator;
export const symbolToStringTag = Symbol.toStringTag;

/** Error classes that exist on both sides, by name. */
export const errorClasses = freeze({
  __proto__: null,
  Error,
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
});

/** Byte containers that cross, by name. */
export const byteClasses = freeze({
  __proto__: null,
  ArrayBuffer,
  DataView,
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
});

export const mapGet = free(Map.prototype.get);
export const mapSet = free(Map.prototype.set);
export const mapDelete = free(Map.prototype.delete);
export const mapForEach = free(Map.prototype.forEach);
export const setAdd = free(Set.prototype.add);
export const setForEach = free(Set.prototype.forEach);
export const weakMapGet = free(WeakMap.prototype.get);
export const weakMapSet = free(WeakMap.prototype.set);
export const weakRefTarget = free(WeakRef.prototype.deref);
export const dateTime = free(Date.prototype.getTime);
export const promiseThen = free(Promise.prototype.then);
export const stringSlice = free(String.prototype.slice);
export const stringCodeAt = free(String.prototype.charCodeAt);
export const stringIndexOf = free(String.prototype.indexOf);
export const bigIntText = free(BigInt.prototype.toString);
export const symbolText = free(Symbol.prototype.toString);
export const mapSize = free(getter(Map.prototype, 'size'));
export const setSize = free(getter(Set.prototype, 'size'));
export const bufferLength = free(getter(ArrayBuffer.prototype, 'byteLength'));
/** Whether a value is a regular expression, by what the engine's own getter accepts. */
export const isRegExp = (value) => {
  try {
    regExpSource(value);
    return value !== RegExp.prototype;
  } catch {
    return false;
  }
};
export const regExpSource = free(getter(RegExp.prototype, 'source'));
const flagGetters = [
  'hasIndices',
  'global',
  'ignoreCase',
  'multiline',
  'dotAll',
  'unicode',
  'unicodeSets',
  'sticky',
].map((name) => free(getter(RegExp.prototype, name)));
/** The flags, without reading properties that guest code may have put on the object. */
export const regExpFlags = (value) => {
  let flags = '';
  for (let index = 0; index < 8; index++) if (flagGetters[index](value)) flags += 'dgimsuvy'[index];
  return flags;
};
/** The stack as the engine wrote it. */
export const errorStack = free(getter(Error.prototype, 'stack'));
const typedArrayPrototype = getPrototypeOf(Uint8Array.prototype);
/** The name of a typed array's class, or undefined for anything else. */
export const typedArrayName = free(getter(typedArrayPrototype, symbolToStringTag));
export const typedArrayBuffer = free(getter(typedArrayPrototype, 'buffer'));
export const typedArrayOffset = free(getter(typedArrayPrototype, 'byteOffset'));
export const typedArrayBytes = free(getter(typedArrayPrototype, 'byteLength'));
export const dataViewBuffer = free(getter(DataView.prototype, 'buffer'));
export const dataViewOffset = free(getter(DataView.prototype, 'byteOffset'));
export const dataViewBytes = free(getter(DataView.prototype, 'byteLength'));

/** An array that inherits nothing: no setter that guest code gives to Array.prototype sees what is put into it. */
export const list = () => setPrototypeOf([], null);

function getter(object, name) {
  return getOwnPropertyDescriptor(object, name).get;
}
