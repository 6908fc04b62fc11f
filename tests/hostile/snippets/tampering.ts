// Replacing the language's own functions, so that boot code would run the guest's. A program may spoil itself; it may not
// see boot code's values, and it may not make its workspace deaf.
import type { Snippets } from '../snippet.ts';

const use =
  'service.echo({ a: [1, new Map([[1, new Set([2])]]), new Date(0), new Uint8Array(2), 5n, /x/g] }); print(account, list, new Error("x")); [...list, ...table, ...tags].length';

/** Replaces a function by one that keeps what it sees, uses everything, and says whether it saw a token. */
function spying(target: string, name: string): string {
  return `
    const seen = [];
    const original = ${target}[${name}];
    Object.defineProperty(${target}, ${name}, {
      configurable: true,
      writable: true,
      value: function (...given) {
        for (const item of [this, ...given]) if (typeof item === 'string' && item.includes('variable.')) seen[seen.length] = item;
        return Reflect.apply(original, this, given);
      },
    });
    try { ${use} } catch {}
    Object.defineProperty(${target}, ${name}, { configurable: true, writable: true, value: original });
    seen.length`;
}

const replaced: readonly (readonly [string, string])[] = [
  ['Array.prototype', 'Symbol.iterator'],
  ['Array.prototype', '"push"'],
  ['Array.prototype', '"map"'],
  ['Array.prototype', '"join"'],
  ['Array.prototype', '"slice"'],
  ['Array.prototype', '"forEach"'],
  ['Map.prototype', '"get"'],
  ['Map.prototype', '"set"'],
  ['Map.prototype', '"has"'],
  ['Map.prototype', '"delete"'],
  ['Map.prototype', '"forEach"'],
  ['Set.prototype', '"add"'],
  ['WeakMap.prototype', '"get"'],
  ['WeakMap.prototype', '"set"'],
  ['WeakRef.prototype', '"deref"'],
  ['String.prototype', '"slice"'],
  ['String.prototype', '"charCodeAt"'],
  ['String.prototype', '"indexOf"'],
  ['String.prototype', 'Symbol.iterator'],
  ['Function.prototype', '"call"'],
  ['Function.prototype', '"apply"'],
  ['Function.prototype', '"bind"'],
  ['Function.prototype', '"toString"'],
  ['Promise.prototype', '"then"'],
  ['Promise.prototype', '"catch"'],
  ['Promise', '"resolve"'],
  ['JSON', '"parse"'],
  ['JSON', '"stringify"'],
  ['Object', '"create"'],
  ['Object', '"defineProperty"'],
  ['Object', '"getPrototypeOf"'],
  ['Object', '"keys"'],
  ['Object', '"freeze"'],
  ['Object', '"getOwnPropertyDescriptor"'],
  ['Reflect', '"ownKeys"'],
  ['Reflect', '"get"'],
  ['Array', '"isArray"'],
  ['Array', '"from"'],
  ['Number', '"isInteger"'],
  ['Error', '"isError"'],
  ['Date.prototype', '"getTime"'],
  ['RegExp.prototype', '"exec"'],
  ['Symbol.prototype', '"toString"'],
  ['BigInt.prototype', '"toString"'],
];

export const spied: Snippets = Object.fromEntries(
  replaced.map(([target, name]) => [`spying on ${target}[${name}]`, { code: spying(target, name), value: 0 }]),
);

const traps: Readonly<Record<string, string>> = {
  'setter for array elements': `const seen = []; for (const n of [0, 1, 2]) Object.defineProperty(Array.prototype, n, { configurable: true, set(v) { if (typeof v === 'string' && v.includes('variable.')) throw new Error('saw ' + v); Object.defineProperty(this, n, { value: v, writable: true, enumerable: true, configurable: true }) } }); ${use}`,
  'getter for array elements': `Object.defineProperty(Array.prototype, 0, { configurable: true, get() { throw new Error('read') } }); ${use}`,
  'setters for members boot code uses': `for (const n of ['text', 'value', 'index', 'resolve', 'reject', 'form', 'kind', 'names', 'fields', 'prototype', 'token', 'member', 'nodes', 'count']) Object.defineProperty(Object.prototype, n, { configurable: true, set(v) { throw new Error('saw ' + n) } }); ${use}`,
  'getters for members boot code uses': `for (const n of ['form', 'kind', 'value', 'get', 'set', 'writable', 'enumerable', 'configurable', 'done', 'length']) Object.defineProperty(Object.prototype, n, { configurable: true, get() { throw new Error('asked ' + n) } }); ${use}`,
  'toJSON on everything': `Object.prototype.toJSON = String.prototype.toJSON = Number.prototype.toJSON = BigInt.prototype.toJSON = () => { throw new Error('toJSON') }; ${use}`,
  'toString and valueOf on everything': `Object.prototype.toString = Object.prototype.valueOf = () => { throw new Error('text') }; ${use}`,
  'then on everything': 'Object.prototype.then = function (resolve) { resolve({ value: "forged" }) }; 1',
  'then that never settles': 'Object.prototype.then = () => {}; 1',
  'then that throws': 'Object.prototype.then = () => { throw new Error("then") }; 1',
  'constructor of promises':
    'Promise.prototype.constructor = { get [Symbol.species]() { throw new Error("species") } }; 1',
  'species of promises': 'Object.defineProperty(Promise, Symbol.species, { get() { throw new Error("species") } }); 1',
  'constructor that takes the reactions':
    'Promise.prototype.constructor = { [Symbol.species]: function (run) { run(() => {}, () => {}) } }; 1',
  'every builtin gone':
    'for (const name of Reflect.ownKeys(globalThis)) if (!["service", "committed", "untouched", "account"].includes(String(name))) delete globalThis[name]; 1',
  'every prototype emptied':
    'for (const C of [Array, Map, Set, Promise, String, Function, WeakMap, RegExp, Date, Error]) for (const n of Reflect.ownKeys(C.prototype)) try { delete C.prototype[n] } catch {} ; 1',
  'Object.prototype frozen': 'Object.freeze(Object.prototype); 1',
  'every prototype frozen':
    'for (const C of [Object, Array, Map, Set, Promise, String, Function, WeakMap, Error]) Object.freeze(C.prototype); 1',
  'global object frozen': 'Object.freeze(globalThis); 1',
  'global object without prototype': 'Object.setPrototypeOf(globalThis, null); 1',
  'proxy as prototype of the global object':
    'Object.setPrototypeOf(globalThis, new Proxy({}, { has() { throw new Error("has") }, get() { throw new Error("get") } })); 1',
  'proxy as prototype of Object.prototype': 'Object.setPrototypeOf(Object.prototype, new Proxy({}, {})); 1',
  'proxy as prototype of arrays': `Object.setPrototypeOf(Array.prototype, new Proxy({}, { set() { throw new Error('set') }, get() { throw new Error('get') } })); ${use}`,
  'console replaced': 'console = { log() { throw new Error("log") } }; print = null; 1',
  'globalThis replaced': 'globalThis.globalThis = {}; 1',
  'undefined and NaN replaced': 'Object.defineProperty(globalThis, "undefined", { value: 1 })',
  'iterator of arrays that leaks': `Array.prototype[Symbol.iterator] = function* () { yield 'forged' }; service.add(1, 2)`,
  'array iterator next':
    'Object.getPrototypeOf([][Symbol.iterator]()).next = () => ({ done: true }); service.add(1, 2)',
  'import function replaced': 'globalThis.__statek_import = () => 1',
  'import function used directly': 'await __statek_import("node:fs")',
  'import function with a forged list': 'await __statek_import("node:fs", { length: 1e9, get 0() { throw 1 } })',
};

export const spoilt: Snippets = Object.fromEntries(
  Object.entries(traps).map(([name, code]) => [name, { code, spoilsItself: true as const }]),
);

export const stillWorking: Snippets = {
  'echo without builtins': {
    code: 'delete globalThis.JSON; delete globalThis.Map; delete globalThis.Promise; const r = service.echo({ a: [1] }); r.a[0]',
    value: 1,
  },
  'error without Error': {
    code: 'globalThis.Error = null; globalThis.TypeError = null; try { service.fail("x"); 0 } catch (e) { e.message }',
    value: 'It failed: x',
  },
  'async without Promise': { code: 'globalThis.Promise = null; void 0; 3', value: 3 },
};
