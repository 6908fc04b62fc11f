// Values that cross to the host and back: members that mean something to the host, values that change while they are read.
import type { Snippets } from '../snippet.ts';

export const pollution: Snippets = {
  '__proto__ in JSON': 'service.merge({}, JSON.parse(\'{"__proto__": {"polluted": 1}}\')); ({}).polluted',
  '__proto__ by definition':
    'service.merge({}, Object.defineProperty({}, "__proto__", { value: { polluted: 1 }, enumerable: true }))',
  '__proto__ as a computed key': 'service.merge({}, { ["__proto__"]: { polluted: 1 } })',
  'constructor.prototype': 'service.merge({}, { constructor: { prototype: { polluted: 1 } } })',
  'prototype as a member': 'service.echo({ prototype: { polluted: 1 }, constructor: 1 })',
  '__proto__ in an error':
    'const e = new Error("x"); Object.defineProperty(e, "__proto__", { value: { polluted: 1 }, enumerable: true }); service.echo(e)',
  '__proto__ as a map key': 'table.set("__proto__", { polluted: 1 }); table.get("__proto__")',
  '__proto__ of a live array': 'list["__proto__"] = { polluted: 1 }; list.polluted',
  __defineGetter__: 'service.echo({ __defineGetter__: 1, __lookupSetter__: 2, hasOwnProperty: 3 })',
  'toJSON as a member': 'service.echo({ toJSON: "text" })',
  'toJSON as a function': 'service.echo({ toJSON() { return "other" } })',
  'toString as a member': 'service.fail({ toString: "not a function" })',
  'toString as an object': 'service.fail({ toString: {}, valueOf: {} })',
  'then as a member': 'service.echo({ then: 1 })',
  'then as a function': 'service.echo({ then(resolve) { resolve(1) } })',
  'length as a member': 'service.echo({ length: -1, 0: "a" })',
  'Symbol.toPrimitive by name': 'service.fail({ "@@toPrimitive": 1 })',
  'nodeType and inspect': 'service.echo({ inspect: 1, nodeType: 1, util: { inspect: 1 } })',
  'name of a variable': 'globalThis["__proto__"] = 1; globalThis["constructor"] = 2; var hasOwnProperty = 3; 1',
  'llmRepr as data': 'print({ llmRepr: "x" }, { llmRepr() { return "y" } })',
  'note that is an object': 'account.note = { __proto__: null, then: 1, toJSON: 2 }; account.note.then',
  'note that is a function': 'account.note = () => 1',
  'note that is a function in a callback': 'service.each([1], () => { account.note = () => 1 })',
  'element that is a function in a callback': 'service.each([1], () => { list.push(() => 1) })',
  'map value that is a function in a callback': 'service.each([1], () => { table.set("f", () => 1) })',
};

export const crossing: Snippets = {
  'cyclic value': { code: 'const c = { n: 1 }; c.self = c; const r = service.echo(c); r.self.self === r', value: true },
  'cyclic map': 'const m = new Map(); m.set(m, m); service.echo(m).size',
  'cyclic set': 'const s = new Set(); s.add(s); service.echo(s).size',
  'deep value': { code: 'let d = []; for (let i = 0; i < 5000; i++) d = [d]; typeof service.echo(d)', value: 'object' },
  'deep value as the result': 'let d = []; for (let i = 0; i < 5000; i++) d = [d]; d',
  'deep value thrown': 'let d = {}; for (let i = 0; i < 5000; i++) d = { d }; throw d',
  'deep error causes':
    'let e = new Error("0"); for (let i = 0; i < 2000; i++) e = new Error("x", { cause: e }); throw e',
  'sparse array': 'const s = []; s[10000] = 1; service.echo(s).length',
  'huge sparse array': { code: 'const s = []; s.length = 4294967295; service.echo(s)', ends: 'stopped' },
  'huge length claimed': {
    code: 'service.echo(new Proxy([], { get: (t, k) => (k === "length" ? 2 ** 53 : t[k]) }))',
    ends: 'stopped',
  },
  'length that is an object':
    'service.echo(new Proxy([], { get: (t, k) => (k === "length" ? { valueOf() { return 2 } } : 1) }))',
  'length that grows': {
    code: 'let n = 0; service.echo(new Proxy([], { get: (t, k) => (k === "length" ? ++n * 10 : 1) })).length',
    ends: 'done',
  },
  'array that shrinks while read':
    'const a = [1, 2, 3]; Object.defineProperty(a, 0, { get() { a.length = 1; return 1 } }); service.echo(a)',
  'array that grows while read':
    'const a = [1]; Object.defineProperty(a, 0, { get() { a.push(1); return 1 }, enumerable: true }); service.echo(a).length',
  'object that grows while read': 'const o = { get a() { o["x" + Math.random()] = 1; return 1 } }; service.echo(o)',
  'map that grows while read': {
    code: 'const m = new Map([[1, { get x() { m.set(m.size + 1, 1); return 1 } }]]); service.echo(m).size',
    ends: 'done',
  },
  'set that grows while read': {
    code: 'const s = new Set(); s.add({ get x() { s.add({}); return 1 } }); service.echo(s)',
    ends: 'done',
  },
  'getter that throws half-way': 'service.echo([1, { get a() { throw new Error("half-way") } }, 2])',
  'getter that throws an odd thing': 'service.echo({ get a() { throw { toString() { throw 1 } } } })',
  'getter that calls the host': 'service.echo({ get a() { return service.add(1, 2) } }).a',
  'getter that calls the same method':
    'let n = 0; const o = { get a() { return n++ < 5 ? service.echo(o) : 1 } }; service.echo(o)',
  'getter in the step value': '({ get a() { return service.add(1, 2) }, get b() { throw new Error("b") } })',
  'getter that sleeps in the step value': { code: '({ get a() { return sleep(1) } })', ends: 'done' },
  'getter that never ends in the step value': { code: '({ get a() { for (;;); } })', ends: 'limit' },
  'getter that prints in the step value': '({ get a() { print("late"); return 1 } })',
  'proxy as the step value': 'new Proxy({ a: 1 }, { ownKeys() { throw new Error("keys") } })',
  'revoked proxy as the step value': 'const r = Proxy.revocable({}, {}); r.revoke(); r.proxy',
  'promise as an argument': 'service.echo(Promise.resolve(1))',
  'promise inside an argument': 'service.echo({ a: [Promise.resolve(1)] })',
  'generator as an argument': 'service.echo((function* () { yield 1 })())',
  'weak map as an argument': 'service.echo(new WeakMap())',
  'module as a value': 'service.echo(await import("nothing"))',
  'symbol-keyed members': 'Object.keys(service.echo({ [Symbol("a")]: 1 })).length',
  'huge string': 'service.echo("x".repeat(300_000))',
  'string of escapes': 'service.echo("\\u0000".repeat(100_000))',
  'string of half surrogates': { code: 'service.echo("\\ud800".repeat(1000)).length', value: 1000 },
  'string of quotes in an error': 'service.fail("\\"".repeat(250_000))',
  'huge bigint': 'service.echo(1n << 500_000n)',
  'huge bigint as the step value': { code: '1n << 20_000_000n', ends: 'stopped' },
  'negative zero and others': {
    code: 'const r = service.echo([-0, NaN, Infinity, -Infinity]); Object.is(r[0], -0) && Number.isNaN(r[1])',
    value: true,
  },
  'invalid date': { code: 'Number.isNaN(service.echo(new Date(NaN)).getTime())', value: true },
  'date with own getTime': 'const d = new Date(0); d.getTime = () => { throw 1 }; service.echo(d).getTime()',
  'date with own valueOf for until': 'const d = new Date(0); d.valueOf = () => 1e300; until(d); 1',
  'pattern that would never end on the host': 'service.echo(/^(a+)+$/)',
  'pattern with own source':
    'const r = /a/; Object.defineProperty(r, "source", { get() { throw 1 } }); service.echo(r)',
  'pattern with own flags': 'const r = /a/; Object.defineProperty(r, "global", { get() { throw 1 } }); service.echo(r)',
  'detached buffer': 'const b = new ArrayBuffer(8); b.transfer?.(); service.echo(b)',
  'view of a detached buffer': 'const v = new Uint8Array(8); v.buffer.transfer?.(); service.echo(v)',
  'resizable buffer':
    'const b = new ArrayBuffer(8, { maxByteLength: 64 }); const v = new Uint8Array(b); b.resize(0); service.echo(v)',
  'shared buffer': 'typeof SharedArrayBuffer === "undefined" ? 0 : service.echo(new SharedArrayBuffer(8))',
  'many bytes': 'service.echo(new Uint8Array(300_000))',
  'misaligned view': 'service.echo(new DataView(new ArrayBuffer(9), 1, 7)).byteLength',
  'typed array that lies':
    'const v = new Uint8Array(4); Object.defineProperty(v, "length", { value: 1e9 }); service.echo(v).length',
  'error with own stack':
    'const e = new Error("x"); Object.defineProperty(e, "stack", { value: 5, enumerable: true }); throw e',
  'error with members for text': 'throw Object.assign(new Error("q"), { name: { a: 1 }, message: [1], stack: {} })',
  'error with forged frames':
    'const e = new Error("x"); e.stack = "at f (step 1:1:1)\\nat g (step 99999999:1:1)\\nat h (/etc/passwd:1:1)"; throw e',
  'error with very many frames':
    'const e = new Error("x"); e.stack = "    at f (step 1:1:1)\\n".repeat(20_000); throw e',
  'error whose message throws': 'const e = new Error("x"); e.message = { toString() { throw 1 } }; throw e',
  'error whose name is a proxy': 'const e = new Error("x"); e.name = new Proxy({}, { get() { throw 1 } }); throw e',
  'error with a getter for message':
    'class E extends Error { get message() { return service.add(1, 2) } }; throw new E()',
  'error with a huge message': 'throw new Error("x".repeat(1_000_000))',
  'error with a huge name': 'const e = new Error("x"); e.name = "n".repeat(1_000_000); throw e',
  'throwing a proxy': 'throw new Proxy({}, { getPrototypeOf() { throw 1 } })',
  'throwing a revoked proxy': 'const r = Proxy.revocable(() => {}, {}); r.revoke(); throw r.proxy',
  'throwing a handle': 'throw account',
  'throwing a function': 'throw () => 1',
  'throwing undefined': { code: 'throw undefined', ends: 'failed' },
  'throwing a promise': 'throw Promise.reject(1)',
  'throwing a huge text': 'throw "x".repeat(2_000_000)',
  'throwing something wide': 'throw Array.from({ length: 1000 }, () => Array.from({ length: 1000 }, () => ({})))',
  'transient handle as the step value': { code: 'service.child()', ends: 'done' },
  'transient handles in a list': 'service.children(50)',
  'keeping a transient handle': { code: 'globalThis.kept = service.child(); 1', ends: 'failed' },
  'keeping a transient handle in a closure': {
    code: 'const c = service.child(); globalThis.f = () => c; 1',
    ends: 'failed',
  },
  'exposed object among results': { code: 'Object.keys(service.exposed()).join()', value: 'open' },
  'exposed object printed': 'print(service.exposed(), account, [account, { account }])',
  'host error as text':
    'try { service.fail(1) } catch (e) { [e.stack, e.cause, JSON.stringify(Object.getOwnPropertyDescriptors(e))].join() }',
  'odd host error': 'try { service.strange() } catch (e) { e.message }',
  'promise the host returned': 'try { service.promised() } catch (e) { e.message }',
};
