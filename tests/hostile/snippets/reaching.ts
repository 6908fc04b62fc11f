// Ways out through prototypes, constructors and symbols of whatever the guest holds.
import type { Snippets } from '../snippet.ts';

const found = '(g) => [typeof g.process, typeof g.require, g.hostCanary, g.process?.env?.HOST_CANARY].join()';
const nothing = 'undefined,undefined,,';

function reaches(expression: string): { code: string; value: string } {
  return { code: `(${found})(${expression})`, value: nothing };
}

export const prototypes: Snippets = {
  'prototype of a handle': reaches('Object.getPrototypeOf(service).constructor.constructor("return this")()'),
  'prototype chain to its end': `let o = account; const names = []; while (o) { names.push(...Reflect.ownKeys(o).map(String)); o = Object.getPrototypeOf(o) } names.join()`,
  '__proto__ of a handle': reaches('service.__proto__.__proto__.constructor.constructor("return this")()'),
  '__proto__ of a method': reaches('service.add.__proto__.constructor("return this")()'),
  '__proto__ of a function handle': reaches('plain.__proto__.constructor("return this")()'),
  'new prototype for a handle': 'Object.setPrototypeOf(account, { deposit: () => 1 })',
  'new __proto__ for a handle': 'account.__proto__ = { hidden: 1 }; account.hidden',
  'inheriting from a handle': 'Object.create(account).balance',
  'inheriting and assigning': 'const heir = Object.create(account); heir.balance = 5; heir.balance',
  'class that extends a handle': 'class Heir extends plain {}; new Heir()',
  'prototype of a function handle': 'plain.prototype',
  'new on a method': 'new service.add(1, 2)',
  'new on a function handle': 'new plain(1, 2)',
  'Reflect.construct with a handle': 'Reflect.construct(Object, [], plain)',
  'Reflect.construct on a method': 'Reflect.construct(service.echo, [1])',
  'method taken to another object': 'service.add.call({ token: "x" }, 1, 2)',
  'getter taken to another object': 'Object.getOwnPropertyDescriptor(account, "balance").get.call({})',
  'getter taken to a handle of another kind': 'Object.getOwnPropertyDescriptor(account, "balance").get.call(service)',
  'getter taken to a collection': 'Object.getOwnPropertyDescriptor(account, "balance").get.call(table)',
  'setter taken to another handle': 'Object.getOwnPropertyDescriptor(account, "balance").set.call(frozen, 5)',
  'method of a map on a set': 'Object.getPrototypeOf(table).get.call(tags, "x")',
  'method of a map on an object': 'Object.getPrototypeOf(table).get.call({}, "x")',
  'method of the kind of one on another': 'Object.getPrototypeOf(service).fail.call(account, "x")',
  'adding a method to the kind': 'Object.getPrototypeOf(account).steal = () => 1; account.steal()',
  'replacing a method of the kind':
    'Object.defineProperty(Object.getPrototypeOf(account), "deposit", { value: () => 0 })',
  'deleting a method of the kind': 'delete Object.getPrototypeOf(account).deposit',
  'private member by name': 'account["#pin"]',
  'underscore member': 'account._internal',
  'underscore method': 'account._audit()',
  'member that was not exposed': 'account.hidden',
  'assigning what was not exposed': 'account.hidden = 1',
  'assigning what is read-only': 'account.currency = "USD"',
  'defining over what is read-only': 'Object.defineProperty(account, "currency", { value: "USD" })',
  'deleting a field': 'delete account.owner',
  'freezing a handle': 'Object.freeze(account); account.balance = 7; account.balance',
  'listing a handle': { code: 'Object.keys(account).join()', value: 'owner,currency,balance,note,limit' },
  'in on a handle': {
    code: '["_internal", "hidden", "_audit", "registry"].filter((n) => n in account).length',
    value: 0,
  },
  'spreading a handle': 'JSON.stringify({ ...account })',
  'JSON of a handle': 'JSON.stringify(service)',
  'assigning a handle onto another': 'Object.assign(account, service)',
  'handle inside a handle': 'service.account.constructor === account.constructor && service.account._internal',
  'static members of the class': 'account.constructor.registry',
  'structured clone': 'structuredClone(account)',
};

export const constructors: Snippets = {
  'Function of the guest': reaches('Function("return this")()'),
  'Function of a handle': reaches('service.constructor.constructor("return globalThis")()'),
  'Function of a method': reaches('service.add.constructor("return globalThis")()'),
  'Function of an asynchronous method': reaches('service.later.constructor("return globalThis")()'),
  'Function of a result': reaches('service.echo({}).constructor.constructor("return globalThis")()'),
  'Function of an array from the host': reaches('service.echo([]).map.constructor("return globalThis")()'),
  'Function of a date from the host': reaches('service.date().getTime.constructor("return globalThis")()'),
  'Function of a pattern from the host': reaches('service.pattern().test.constructor("return globalThis")()'),
  'Function of bytes from the host': reaches('service.bytes().constructor.constructor("return globalThis")()'),
  'Function of an error from the host': reaches('service.error().constructor.constructor("return globalThis")()'),
  'Function of a thrown error': reaches(
    '(() => { try { service.fail(1) } catch (e) { return e.constructor.constructor("return globalThis")() } })()',
  ),
  'Function of an iterator over the host': reaches('list.values().next.constructor("return globalThis")()'),
  'Function of a live array': reaches('list.constructor.constructor("return globalThis")()'),
  'Function of a live map': reaches('table.constructor.constructor("return globalThis")()'),
  'Function of the console': reaches('console.log.constructor("return globalThis")()'),
  'Function of print': reaches('print.constructor("return globalThis")()'),
  'Function of sleep': reaches('sleep.constructor("return globalThis")()'),
  GeneratorFunction: reaches('(function* () {}).constructor("yield globalThis")().next().value'),
  AsyncFunction: reaches('await (async () => {}).constructor("return globalThis")()'),
  AsyncGeneratorFunction: reaches('(await (async function* () {}).constructor("yield globalThis")().next()).value'),
  'Function in strict code': reaches('Function("\'use strict\'; return this ?? globalThis")()'),
  'Function with a body that closes itself': 'Function("}); globalThis.leak = 1; (() => {")()',
  'Function with parameters that close it': 'Function("a = (() => { throw 1 })()", "return a")()',
  'constructor of a constructor of a constructor': reaches(
    'service.constructor.constructor.constructor.constructor("return globalThis")()',
  ),
  'arguments.callee.caller': 'function f() { return arguments.callee.caller } f()',
  'caller of a callback': 'service.each([1], function f() { return String(f.caller) })',
  'arguments of a boot function': 'service.each([1], () => String(service.each.arguments))',
  'this of a callback': 'service.each([1], function () { return typeof this })',
  'this of a sloppy callback': reaches('service.each([1], Function("return { process: this.process }"))[0]'),
};

export const symbols: Snippets = {
  'symbols of handles': { code: 'Object.getOwnPropertySymbols(service).length', value: 0 },
  'symbols of the kind': 'Object.getOwnPropertySymbols(Object.getPrototypeOf(service)).map(String).join()',
  'inspect symbol of the host': 'String(service[Symbol.for("nodejs.util.inspect.custom")])',
  'registered symbols': 'String(account[Symbol.for("token")])',
  'defining Symbol.iterator on a handle': 'service[Symbol.iterator] = function* () { yield 1 }; [...service]',
  'toPrimitive on a handle': 'service[Symbol.toPrimitive] = () => 1; +service',
  'handle as text': '`${service} ${account} ${plain}`',
  'handle as number': '+service',
  'species of a live array': 'class Sub extends Array {}; list.constructor = Sub; list.map((x) => x)',
  'species getter': 'Object.defineProperty(Array, Symbol.species, { get() { throw new Error("species") } }); [...list]',
  'hasInstance of guest classes':
    'Object.defineProperty(Function.prototype, Symbol.hasInstance, { value: () => true }); 1',
  'hasInstance of Promise': {
    code: 'Object.defineProperty(Promise, Symbol.hasInstance, { value: () => { throw new Error("instance") } }); service.echo(1)',
    value: 1,
  },
  unscopables: 'Object.prototype[Symbol.unscopables] = { service: true }; service.title',
  isConcatSpreadable:
    'Array.prototype[Symbol.isConcatSpreadable] = false; [].concat(list).length; delete Array.prototype[Symbol.isConcatSpreadable]',
  'toStringTag of a plain object': 'service.echo({ [Symbol.toStringTag]: "Map" })',
  'symbol as a value': 'service.echo(Symbol("x"))',
  'symbol as a map key': 'service.echo(new Map([[Symbol("x"), 1]]))',
  'symbol as the step value': 'Symbol.iterator',
  'asyncIterator on a handle': 'for await (const x of { [Symbol.asyncIterator]: () => service }) break',
  'dispose symbol': 'service[Symbol.dispose ?? "dispose"]?.()',
  'match symbol against the host': '"x".match({ [Symbol.match]: service.echo })',
  'replace symbol against the host': '"x".replace({ [Symbol.replace]: service.echo }, account)',
};
