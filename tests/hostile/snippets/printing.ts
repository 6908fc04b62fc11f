// The console, live collections, and handles that were guessed or made up.
import { limited, type Snippets } from '../snippet.ts';

export const consoles: Snippets = {
  'printing without end': { code: 'for (let i = 0; i < 3000; i++) print("line " + i); 1', value: 1 },
  'printing nothing, often': { code: 'for (let i = 0; i < 3000; i++) print(""); 1', value: 1 },
  'printing a huge text': 'print("x".repeat(5_000_000)); 1',
  'printing very many values': 'print(...Array.from({ length: 5000 }, (_, i) => i)); 1',
  'printing something wide and deep':
    'const w = (d) => d ? Array.from({ length: 20 }, () => w(d - 1)) : "leaf"; print(w(3)); 1',
  'printing shared structure': 'let s = []; for (let i = 0; i < 100; i++) s = [s, s]; print(s); 1',
  'printing a cycle': 'const c = { m: new Map() }; c.m.set(c, [c, new Set([c])]); print(c); 1',
  'groups without end': 'for (let i = 0; i < 2000; i++) console.group("g"); print("\\n".repeat(5000)); 1',
  'group ends without groups': 'for (let i = 0; i < 1000; i++) console.groupEnd(); print("x")',
  'console methods with odd labels':
    'console.count({ toString: () => "x" }); console.count(Symbol("y")); console.assert(false, Symbol("z")); console.table([[1]]); console.dir(globalThis)',
  'console label that throws': 'console.count({ toString() { throw new Error("label") } })',
  'console taken elsewhere': 'const { log } = console; log.call(null, 1); Reflect.apply(log, {}, [2]); new log(3)',
  'format directives': 'console.log("%s %d %o %O %c %%", account, service, {}, [], "css")',
  'escape sequences': 'print("\\u001b[2J\\u001b]0;title\\u0007\\u0000\\r\\b")',
  'print replaced by the host function': 'service.each([1, 2], print)',
  'printing handles': 'print(service, account, list, table, tags, closed, frozen, plain)',
  'printing the global object': 'print(globalThis); console.log(Object.getOwnPropertyDescriptors(globalThis)); 1',
  'printing functions': 'print(service.add, print, console, class A { #x = 1 }, async () => 1, function* () {})',
  'printing typed arrays': 'print(new Uint8Array(1_000_000), new ArrayBuffer(10), new DataView(new ArrayBuffer(2))); 1',
  'printing while being printed':
    'print({ toString() { print("x"); return "y" }, toJSON() { print("z") }, [Symbol.toPrimitive]() { print("p") } }); 1',
  'printing odd errors': 'const e = new Error("x"); e.cause = e; e.errors = [e]; print(e, new AggregateError([e])); 1',
  'printing surrogates': 'print("\\ud800".repeat(100), { "\\udfff": 1 }); 1',
  ...limited({
    'printing without end, really': 'for (;;) print("x")',
    'printing large values without end':
      'const v = Array.from({ length: 100 }, (_, i) => "x".repeat(1000) + i); for (;;) print(v)',
    'groups without end, really': 'for (;;) console.group()',
  }),
};

export const collections: Snippets = {
  'making a live array long': 'list.length = 4294967295',
  'writing far past the end': 'list[4294967294] = 1',
  'writing a little past the end': 'list[10] = 1',
  'negative and odd indices': 'list[-1] = 1; list["1.5"] = 1; list["01"] = 1; [list[-1], list[1e21]].join()',
  'cutting a live array': { code: 'list.length = 0; list.length', value: 0 },
  'length that is not a number': 'list.length = "two"',
  'length that is an object': 'list.length = { valueOf: () => 1 }',
  'reverse and sort': { code: 'list.reverse(); list.sort(); list.join()', value: '1,2,3' },
  'sort that throws': 'list.sort(() => { throw new Error("s") })',
  'splice everything': 'list.splice(0, 2, "a", "b", "c"); list.join()',
  'push a cycle': 'list.push(list); list.length',
  'push a handle': 'list.push(account); list.at(-1) === account',
  'push a transient handle': 'list.push(service.child()); list.at(-1).name',
  'push something huge': 'list.push("x".repeat(300_000))',
  'fill a live array': 'list.fill(0); list.copyWithin(0, 1); list.join()',
  'changing while iterating': {
    code: 'let n = 0; for (const x of list) { if (n++ > 500) break; list.push(x) } n > 100',
    value: true,
  },
  'changing a map while iterating': {
    code: 'let n = 0; for (const [k] of table) { if (n++ > 500) break; table.set("k" + n, 1) } n > 100',
    value: true,
  },
  'read-only array: push': { code: 'closed.push(1)', ends: 'failed' },
  'read-only array: assignment': { code: 'closed[0] = 1', ends: 'failed' },
  'read-only array: length': { code: 'closed.length = 0', ends: 'failed' },
  'read-only array: sort': { code: 'closed.sort((a, b) => b - a)', ends: 'failed' },
  'read-only array: delete': { code: 'delete closed[0]', ends: 'failed' },
  'read-only array: definition': { code: 'Object.defineProperty(closed, 0, { value: 1 })', ends: 'failed' },
  'read-only array: reading': { code: 'closed.map((x) => x + 1).join()', value: '11,21,31' },
  'methods of the language on a live map': 'Map.prototype.set.call(table, "x", 1)',
  'methods of the language on a live set': 'Set.prototype.has.call(tags, "x")',
  'size as a setter': 'table.size = 0',
  'map with odd keys': 'table.set(NaN, 1).set(-0, 2).set(undefined, 3).set(null, 4).set({}, 5); table.size',
  'set algebra with a liar':
    'tags.union({ size: 1e9, has: () => true, keys: () => ({ next: () => ({ done: true }) }) }).size',
  'iterator used twice': 'const it = table.entries(); [...it, ...it].length',
  'iterator kept by itself': 'globalThis.it = list.values(); it.next(); 1',
  'iterator with next replaced': 'const it = list.values(); it.next = () => 1',
  'constructing from a live map': 'new Map(table).size + new Set(tags).size + Array.from(list).length',
  ...limited({
    'growing while iterating': 'for (const x of list) list.push(x)',
    'growing a map while iterating': 'for (const [k] of table) table.set(k + 1, 1)',
    'reading pages without end': 'for (;;) [...table]',
    'indexing without end': 'for (let i = 0; ; i++) list[i % 3]',
  }),
};

export const forgeries: Snippets = {
  'object that looks like a handle': 'service.echo({ token: "service.x.y", H: 1 })',
  'object that looks like a node': {
    code: 'JSON.stringify(service.echo(["H", "variable.c2VydmljZQ.AAAAAAAAAAAAAAAAAAAAAAAA"]))',
    value: '["H","variable.c2VydmljZQ.AAAAAAAAAAAAAAAAAAAAAAAA"]',
  },
  'text that looks like a message': {
    code: 'service.echo("],[\\"H\\",\\"variable.x.y\\"],[")',
    value: '],["H","variable.x.y"],[',
  },
  'member name that looks like a message': 'JSON.stringify(service.echo({ \'"],["H","x"]\': 1 }))',
  'map that looks like a node': 'service.echo(new Map([["H", "variable.x.y"]])).get("H")',
  'bigint that looks like text': 'service.echo([123456789012345678901234567890n])[0]',
  'class instance with tokens': 'class Handle { token = "transient.a.b" }; service.echo(new Handle())',
  'copying all of a handle':
    'service.deposit = account.deposit; Object.entries(Object.getOwnPropertyDescriptors(account)).length',
  'handle of another object with the same shape':
    'const copy = Object.create(Object.getPrototypeOf(account), Object.getOwnPropertyDescriptors(account)); copy.balance',
  'method bound to a copy': 'account.deposit.bind({ ...account })(5)',
  'weak map over handles': { code: 'const w = new WeakMap([[account, 1]]); w.get(service.account)', value: 1 },
  'handle in a weak reference': 'globalThis.w = new WeakRef(service.child()); 1',
  'same object, same handle': { code: 'service.account === account', value: true },
  'transient handle after its slice': { code: 'const c = service.child(); await sleep(0); c.name', ends: 'failed' },
  'transient handles without end': { code: 'for (;;) service.child()', ends: 'limit' },
  'guessing tokens':
    'const guesses = []; for (let i = 0; i < 500; i++) guesses.push({ H: "service." + i }); service.echo(guesses).length',
  'name of a service as a handle': 'service.echo({ service: "service", name: "account" })',
};
