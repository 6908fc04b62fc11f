// Records: handles of objects that may have any fields. What the class declares is on the prototype; every field is the
// host's to give, so one that was added a moment ago is there.
import { read } from './connection.js';
import { ask, operation, valueOf } from './host.js';
import * as own from './primordials.js';
import { encode } from './wire.js';

function request(token, change, parameters) {
  return ask(operation.collection, encode([token, change, parameters]));
}

export function recordHandle(token, prototype, methodOf) {
  return new own.ProxyClass(own.create(prototype), {
    __proto__: null,
    get(target, key, receiver) {
      if (typeof key === 'symbol' || own.hasOwn(prototype, key)) return own.reflectGet(target, key, receiver);
      // The cheapest request there is: fields are read more often than anything else.
      const answer = read(token, key);
      // A method that its class has got since this program met the object.
      if (typeof answer === 'string' && answer[0] === '&') return methodOf(key);
      const found = valueOf(answer);
      return found === undefined ? own.reflectGet(target, key, receiver) : found;
    },
    set(_target, key, value) {
      if (typeof key === 'symbol') return false;
      ask(operation.set, encode([token, key, value]));
      return true;
    },
    has(target, key) {
      return key in target || (typeof key === 'string' && request(token, 'has', [key]));
    },
    deleteProperty(_target, key) {
      return typeof key === 'symbol' || request(token, 'delete', [key]);
    },
    defineProperty(_target, key, descriptor) {
      if (typeof key === 'symbol' || !own.hasOwn(descriptor, 'value')) return false;
      ask(operation.set, encode([token, key, descriptor.value]));
      return true;
    },
    ownKeys: () => request(token, 'names', []),
    getOwnPropertyDescriptor(_target, key) {
      if (typeof key === 'symbol' || !request(token, 'has', [key])) return undefined;
      const value = valueOf(read(token, key));
      return { __proto__: null, value, writable: true, enumerable: true, configurable: true };
    },
    setPrototypeOf: () => false,
    preventExtensions: () => false,
  });
}
