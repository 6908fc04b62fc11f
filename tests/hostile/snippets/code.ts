// Code that makes code, asks for modules, plays with proxies, getters, promises and the global object.
import type { Snippets } from '../snippet.ts';

export const evaluation: Snippets = {
  'indirect eval': '(0, eval)("typeof process + typeof require")',
  'direct eval': 'eval("typeof process")',
  'eval that declares': { code: '(0, eval)("var leaked = 1"); typeof leaked', ends: 'done' },
  'eval of await': 'eval("await 1")',
  'dynamic import of a node module': 'await import("node:fs")',
  'dynamic import of a file': 'await import("/etc/passwd")',
  'dynamic import of a url': 'await import("https://example.com/x.js")',
  'dynamic import of data': 'await import("data:text/javascript,export default 1")',
  'dynamic import of a relative path': 'await import("../../../package.json", { with: { type: "json" } })',
  'dynamic import of an odd value': 'await import({ toString() { throw new Error("specifier") } })',
  'dynamic import of a long name': 'await import("x".repeat(100_000))',
  'dynamic import of a name with a zero': 'await import("a\\u0000b")',
  'dynamic import in eval': 'await eval("import(\\"node:child_process\\")")',
  'dynamic import without await': 'import("node:fs"); 1',
  'static import': 'import fs from "node:fs"; fs',
  'static import of boot code': 'import x from "statek:boot"; x',
  'import.meta': 'import.meta.url',
  require: 'require("fs")',
  'process.binding': 'process.binding("fs")',
  WebAssembly: { code: 'typeof WebAssembly', value: 'undefined' },
  'SharedArrayBuffer and Atomics': 'typeof SharedArrayBuffer + typeof Atomics',
  'waiting with Atomics': 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)',
  'waiting with Atomics for a second': 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000)',
  'waiting asynchronously with Atomics':
    'await Atomics.waitAsync(new Int32Array(new SharedArrayBuffer(4)), 0, 0).value',
  'timers of the host': 'typeof setTimeout + typeof setInterval + typeof setImmediate',
  'fetch of the host': 'typeof fetch + typeof XMLHttpRequest + typeof WebSocket + typeof Worker',
  'engine modules': 'typeof std + typeof os + typeof bjson + typeof scriptArgs + typeof gc',
  'engine internals': 'typeof Error.captureStackTrace + typeof navigator + typeof performance',
  prepareStackTrace: 'Error.prepareStackTrace = (e, sites) => sites.map((s) => s.getFunction()); new Error("x").stack',
  'prepareStackTrace by definition':
    'Object.defineProperty(Error, "prepareStackTrace", { value: (e, s) => s }); new Error("x").stack',
  'prepareStackTrace of a subclass':
    'class E extends Error {}; Object.defineProperty(E, "prepareStackTrace", { value: (e, s) => s }); service.each([1], () => typeof new E("x").stack)',
  'captureStackTrace on a handle': 'Error.captureStackTrace(account); account.stack',
  'captureStackTrace on a frozen object': 'Error.captureStackTrace(Object.freeze({}))',
  stackTraceLimit: 'Error.stackTraceLimit = 1e9; const f = (n) => n ? f(n - 1) : new Error("x").stack.length; f(50)',
  'stackTraceLimit that throws':
    'Object.defineProperty(Error, "stackTraceLimit", { get() { throw 1 } }); new Error("x").stack',
  'stack inside a callback': 'service.each([1], () => new Error("x").stack)',
  'finding boot functions by name':
    'service.each([1], () => [typeof enter, typeof hostFunction, typeof send, typeof host].join())[0]',
  'reading the source of boot code': 'String(service.add) + String(print) + String(console.log)',
};

export const globals: Snippets = {
  'names on the global object': {
    code: 'Reflect.ownKeys(globalThis).map(String).filter((n) => /process|require|module|host|^Buffer/i.test(n)).join()',
    value: '',
  },
  'getter as a variable':
    'Object.defineProperty(globalThis, "sly", { get() { throw new Error("fired") }, configurable: true, enumerable: true }); 1',
  'proxy as a variable':
    'var sly = new Proxy({}, { get() { throw new Error("fired") }, ownKeys() { throw new Error("fired") }, getPrototypeOf() { throw new Error("fired") } }); 1',
  'variable that cannot change': {
    code: 'Object.defineProperty(globalThis, "fixed", { value: 1 }); fixed = 2',
    ends: 'failed',
  },
  'very many variables': 'for (let i = 0; i < 5000; i++) globalThis["v" + i] = i; 1',
  'variable with an odd name': 'globalThis["\\u0000\\ud800 odd \\n name"] = 1; globalThis[""] = 2; 1',
  'variable with a very long name': 'globalThis["n".repeat(200_000)] = 1; 1',
  'with on the global object': 'Function("with (globalThis) { return typeof process }")()',
  'this at the top': 'typeof this.process',
  'top-level return': { code: 'return 1', ends: 'failed' },
  'closing brace': '} catch (e) {} globalThis.leaked = 1; try {',
  'end of a template': '`${"` + process.exit()"}`',
  'html comment': '<!-- comment\n1',
  'line separators': '1\u2028+1',
  'new.target at the top': 'new.target',
  'super at the top': 'super.x',
  'yield at the top': 'yield 1',
  'label and goto': 'a: { break a } 1',
  debugger: 'debugger; 1',
  'shadowing a handle': 'let service2 = service; { let service = 1 } service2.title',
  'assigning a handle away': { code: 'account = null; 1', ends: 'done' },
  'names of builtins as variables': {
    code: 'let Object = 1, Promise = 2, JSON = 3, Array = 4, Map = 5; [Object, Promise].length',
    spoilsItself: true,
  },
  'names the compiler uses': 'let undefined_ = 1; var __statek_import = 2; 1',
  'using at the top': 'using x = { [Symbol.dispose]() {} }; 1',
  decorators: '@plain class A {}',
};

export const proxies: Snippets = {
  'proxy over a handle': 'new Proxy(account, {}).balance',
  'proxy over a method': 'new Proxy(service.add, {})(1, 2)',
  'proxy over a function handle': { code: 'new Proxy(plain, { apply: (t, s, a) => t(...a) })(1, 2)', value: 3 },
  'proxy as a handle': 'service.add.call(new Proxy(service, {}), 1, 2)',
  'proxy as an argument that sees everything':
    'const seen = []; service.echo(new Proxy({}, { get(t, k) { seen.push(String(k)) }, ownKeys() { return ["a"] }, getOwnPropertyDescriptor() { return { value: 1, enumerable: true, configurable: true } } })); seen.join()',
  'proxy that lies about keys': 'service.echo(new Proxy({}, { ownKeys: () => ["a", "a"] }))',
  'proxy with a million keys': {
    code: 'service.echo(new Proxy({}, { ownKeys: () => Array.from({ length: 1e6 }, (_, i) => "k" + i), getOwnPropertyDescriptor: () => ({ value: 1, enumerable: true, configurable: true }) }))',
    ends: 'stopped',
  },
  'proxy that is an array and is not': 'service.echo(new Proxy([], { getPrototypeOf: () => Map.prototype }))',
  'proxy around a map': 'service.echo(new Proxy(new Map([[1, 2]]), {}))',
  'proxy around a date': 'service.echo(new Proxy(new Date(), {}))',
  'proxy around an error thrown': 'throw new Proxy(new Error("x"), { get() { throw new Error("trap") } })',
  'proxy printed': {
    code: 'print(new Proxy({}, { get() { throw 1 }, ownKeys() { throw 1 }, getPrototypeOf() { throw 1 } })); 1',
    value: 1,
  },
  'proxy printed deep inside': {
    code: 'let fired = 0; print([{ a: new Proxy([], { get() { fired++ }, has() { fired++ } }) }]); fired',
    value: 0,
  },
  'getters printed': {
    code: 'let fired = 0; print({ get a() { fired++ } }, [{ get b() { fired++ } }]); fired',
    value: 0,
  },
  'class name that is a trap':
    'class A {}; Object.defineProperty(A, "name", { get() { throw new Error("fired") } }); print(new A()); 1',
  'constructor that is a trap':
    'const o = Object.create({ get constructor() { throw new Error("fired") } }); print(o); 1',
  'prototype that is a proxy': {
    code: 'let fired = 0; print(Object.create(new Proxy({}, { get() { fired++ }, getPrototypeOf() { fired++; return null }, getOwnPropertyDescriptor() { fired++ } }))); fired',
    value: 0,
  },
  'callable proxy printed':
    'print(new Proxy(class A {}, { get() { throw 1 }, getOwnPropertyDescriptor() { throw 1 } })); 1',
  'revoked proxies printed':
    'const a = Proxy.revocable([], {}), b = Proxy.revocable(() => {}, {}); a.revoke(); b.revoke(); print(a.proxy, b.proxy); 1',
  'prototype chain of proxies':
    'let p = null; for (let i = 0; i < 100; i++) p = Object.create(new Proxy(p ?? {}, {})); service.echo(p)',
  'defining on a live array': 'Object.defineProperty(list, 0, { get() { return 1 } })',
  'invariants of a live array': 'Reflect.ownKeys(list).length + Object.getOwnPropertyNames(list).length',
  'sealing a live array': 'Object.seal(list)',
};

export const accessors: Snippets = {
  'redefining a getter of a handle': 'Object.defineProperty(account, "balance", { get: () => 0 })',
  '__defineGetter__ on a handle': 'account.__defineGetter__("balance", () => 0)',
  '__lookupGetter__ of a handle': 'account.__lookupGetter__("balance").call(service)',
  'Reflect.get with another receiver': 'Reflect.get(account, "balance", {})',
  'Reflect.set with another receiver': 'Reflect.set(account, "balance", 5, {})',
  'Reflect.set on what is read-only': { code: 'Reflect.set(account, "currency", "USD")', value: false },
  'super access to a handle': 'const o = { __proto__: account, read() { return super.balance } }; o.read()',
  'setter with an object that throws': 'account.balance = { valueOf() { throw 1 } }; 1',
  'setter with a getter that assigns': 'account.note = { get x() { account.note = 1; return 2 } }; account.note',
  'number that is not one': 'account.deposit({ valueOf: () => 1e9 })',
  'number that is text': 'account.deposit("1e9")',
  'frozen object of the host': 'frozen.size = 2',
  'frozen object by definition': 'Object.defineProperty(frozen, "size", { value: 2 })',
  'optional call of nothing': 'account.missing?.()',
  'calling a field': 'account.owner()',
  'field as a template tag': 'account.owner`x`',
  'method as a template tag': 'service.echo`a${1}b`',
  'method as a sort function': '[3, 1, 2].sort(service.add)',
  'method as a reviver': 'JSON.parse("[1,[2]]", service.echo)',
  'method as a replacer': 'JSON.stringify({ a: 1 }, service.echo)',
  'method as a getter': 'Object.defineProperty({}, "x", { get: service.title }).x',
  'method as an executor': 'new Promise(service.echo); 1',
  'method as toString': '`${{ toString: plain }}`',
  'destructuring a handle':
    'const { owner, _internal, hidden, ...rest } = account; [owner, _internal, hidden, Object.keys(rest).length].join()',
};
