// Promises, thenables, futures and callbacks.
import { limited, type Snippets } from '../snippet.ts';

export const promises: Snippets = {
  'thenable that calls both': 'await { then(a, b) { a(1); b(2); a(3) } }',
  'thenable that throws after': 'await { then(a) { a(1); throw 2 } }',
  'thenable that keeps its functions': 'let k; Promise.resolve({ then(a) { k = a } }); await 0; k(service); typeof k',
  'awaiting a handle': 'typeof (await account)',
  'awaiting a method': 'typeof (await service.add)',
  'async function as a callback': 'service.each([1], async () => 1)',
  'promise from a callback': 'service.each([1], () => Promise.reject(new Error("late")))',
  'thenable from a callback': 'service.each([1], () => ({ then(f) { f(1) } }))',
  'rejections nobody handles': {
    code: 'for (let i = 0; i < 5000; i++) Promise.reject(new Error("e" + i)); 1',
    value: 1,
  },
  'rejection with a proxy': 'Promise.reject(new Proxy({}, { get() { throw 1 } })); 1',
  'rejection with a huge message':
    'const e = new Error("x".repeat(1_000_000)); for (let i = 0; i < 50; i++) Promise.reject(e); 1',
  'microtasks that throw': 'for (let i = 0; i < 2000; i++) queueMicrotask(() => { throw new Error("m" + i) }); 1',
  'microtask after the end': 'queueMicrotask(() => queueMicrotask(() => { globalThis.late = 1 })); 1',
  'finalization registry':
    'const r = new FinalizationRegistry(() => { globalThis.finalized = 1 }); (() => r.register({}, 1))(); 1',
  'finalization that registers again': {
    code: 'const r = new FinalizationRegistry(() => r.register({}, 1)); r.register({}, 1); 1',
    ends: 'any',
  },
  'finalization that throws':
    'const r = new FinalizationRegistry(() => { throw new Error("final") }); for (let i = 0; i < 100; i++) r.register({}, i); 1',
  'waiting for nothing': { code: 'await new Promise(() => {})', ends: 'failed' },
  'waiting for itself': { code: 'const p = (async () => { await 0; await p })(); await p', ends: 'failed' },
  'waiting inside a callback': 'service.each([1], () => { sleep(1); return 1 })',
  'asynchronous generator never ended':
    'const g = (async function* () { try { yield 1 } finally { service.add(1, 2) } })(); await g.next(); 1',
  'promise subclass':
    'class P extends Promise { constructor(f) { super(f); globalThis.made = (globalThis.made ?? 0) + 1 } }; await P.resolve(1).then((x) => x)',
};

export const futures: Snippets = {
  'more futures than allowed': { code: 'for (let i = 0; i < 1000; i++) sleep(1000)', ends: 'limit' },
  'more futures, caught': { code: 'for (;;) try { sleep(1000) } catch {}', ends: 'limit' },
  'more futures in a callback the host swallows': {
    code: 'service.swallow(() => { for (let i = 0; i < 1000; i++) sleep(1) }); print("CAUGHT")',
    ends: 'limit',
  },
  'more calls than allowed': { code: 'for (let i = 0; i < 1000; i++) void service.later(i)', ends: 'limit' },
  'sleeping for ever': { code: 'await sleep(Infinity)', ends: 'failed' },
  'sleeping for less than nothing': { code: 'await sleep(-1)', ends: 'failed' },
  'sleeping for no number': { code: 'await sleep({})', ends: 'failed' },
  'sleeping for a bigint': 'await sleep(1n << 80n)',
  'sleeping for an object that throws': { code: 'await sleep({ valueOf() { throw new Error("v") } })', ends: 'failed' },
  'until the end of time': { code: 'await until(8.64e15)', ends: 'suspended' },
  'until after the end of time': { code: 'await until(1e300)', ends: 'failed' },
  'until no date': { code: 'await until("never")', ends: 'failed' },
  'signal without a name': { code: 'await signal("")', ends: 'failed' },
  'signal with a long name': { code: 'await signal("s".repeat(100_000))', ends: 'failed' },
  'signal with an odd name': { code: 'await signal("\\u0000\\ud800\\uffff")', ends: 'suspended' },
  'signal with an object for a name': { code: 'await signal({ toString: () => "x" })', ends: 'failed' },
  'question that is huge': { code: 'await ask("q".repeat(300_000))', ends: 'failed' },
  'question with a handle': { code: 'await ask("q", { account })', ends: 'suspended' },
  'question with a function': { code: 'await ask("q", { f: () => 1 })', ends: 'failed' },
  'question with an odd text': { code: 'await ask({ toString() { throw new Error("q") } })', ends: 'failed' },
  'asynchronous call with a function': { code: 'await service.later(() => 1)', ends: 'failed' },
  'asynchronous call with a transient handle': { code: 'await service.later(service.child())', ends: 'failed' },
  'asynchronous call with __proto__': {
    code: 'await service.later(JSON.parse(\'{"__proto__":{"polluted":1}}\'))',
    ends: 'suspended',
  },
  'asynchronous call never awaited': { code: 'void service.later(1); 1', value: 1 },
  'replaced resolving functions': {
    code: 'const P = Promise; globalThis.Promise = function (f) { globalThis.stolen = f; return new P(f) }; const s = sleep(1); globalThis.Promise = P; typeof stolen',
    value: 'undefined',
  },
  'then of a future replaced': { code: 'const s = sleep(1); s.then = () => { throw new Error("then") }; 1', value: 1 },
};

export const callbacks: Snippets = {
  'callback kept past its call': { code: 'let k; service.each([1], () => { k = 1 }); k', value: 1 },
  'callback that throws': 'service.each([1], () => { throw new Error("c") })',
  'callback that throws an odd thing': 'service.each([1], () => { throw Symbol("c") })',
  'callback that throws a proxy': 'service.each([1], () => { throw new Proxy({}, { get() { throw 1 } }) })',
  'callback error swallowed by the host': {
    code: 'service.swallow(() => { throw new TypeError("x") })',
    value: 'swallowed TypeError',
  },
  'limit swallowed by the host': { code: 'service.swallow(() => { for (;;); }); print("CAUGHT"); 1', ends: 'limit' },
  'limit swallowed deep inside': {
    code: 'service.swallow(() => service.swallow(() => service.swallow(() => { for (;;); }))); print("CAUGHT")',
    ends: 'limit',
  },
  'callback returning a function': 'service.each([1], () => () => 1)',
  'callback returning a handle': { code: 'service.each([1], () => account)[0] === account', value: true },
  'callback returning something huge': 'service.each([1], () => "x".repeat(300_000))',
  'callback in a callback': {
    code: 'service.each([1, 2], (a) => service.each([3], (b) => a * b)[0]).join()',
    value: '3,6',
  },
  'outer callback from an inner call': 'const outer = (x) => x; service.again((d) => service.each([1], outer), 1)',
  'callback that changes the arguments': 'const items = [1, 2, 3]; service.each(items, () => items.push(1)).length',
  'class as a callback': 'service.each([1], class A {})',
  'bound handle as a callback': 'service.each([1], account.deposit.bind(account))',
  'handle as a callback': { code: 'service.each([1], plain).length', ends: 'any' },
  'proxy as a callback': { code: 'service.each([1], new Proxy(() => 1, { apply: () => 2 }))[0]', value: 2 },
  'revoked proxy as a callback': 'const r = Proxy.revocable(() => 1, {}); service.each([1], (r.revoke(), r.proxy))',
  'callback by a forged number': 'service.echo({ C: 1, 0: "C", 1: 1 })',
  'very many callbacks': { code: 'service.echo(Array.from({ length: 3000 }, (_, i) => () => i)); 1', ends: 'any' },
  ...limited({
    'recursion through the host': 'const f = (d) => service.again(f, d + 1); for (;;) try { f(0) } catch {}',
    'host calls without end': 'for (;;) service.add(1, 2)',
    'host errors without end': 'for (;;) try { service.fail("x") } catch {}',
    'callbacks without end': 'for (;;) service.each([1], () => 1)',
    'large answers without end': 'account.note = "x".repeat(200_000); for (;;) account.note',
    'reading a field without end': 'for (;;) account.balance',
    'refused calls without end': 'for (;;) try { account.currency = 1 } catch {}',
  }),
  'recursion through the host once': { code: 'const f = (d) => service.again(f, d + 1); f(0)', ends: 'failed' },
};
