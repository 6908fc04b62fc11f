// What to use instead of names that programs elsewhere have: most models and people try them first.

const fromApplication =
  'a program has no access to the outside; the application can pass a function that does it in vars';
const inTypeScript: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['setTimeout', 'setInterval', 'setImmediate'].map((name) => [name, 'use await sleep(milliseconds)']),
  ),
  ...Object.fromEntries(
    ['fetch', 'XMLHttpRequest', 'WebSocket', 'process', 'Deno', 'Bun'].map((name) => [name, fromApplication]),
  ),
  require: 'use import, which finds the modules that the application registered',
  module: 'variables at the top level stay for the next step; nothing has to be exported',
  exports: 'variables at the top level stay for the next step; nothing has to be exported',
  Buffer: 'use Uint8Array',
  structuredClone: 'use JSON.parse(JSON.stringify(value)), or copy the members that you need',
  crypto: 'Math.random is there; the application can pass functions in vars',
  localStorage: 'variables at the top level are durable: keep it in one',
  sessionStorage: 'variables at the top level are durable: keep it in one',
  window: 'use globalThis',
  global: 'use globalThis',
  document: 'there is no page',
  alert: 'use print(value)',
  prompt: 'use await ask(question)',
  Worker: 'there are no threads',
};

/** What to write instead of a name that no program has, if that is known. */
export function insteadOfAbsent(error: { readonly name: string; readonly message: string }): string | undefined {
  if (error.name === 'ReferenceError') {
    const [, name = ''] = /^([\w$]+) is not defined$/.exec(error.message) ?? [];
    return Object.hasOwn(inTypeScript, name) ? inTypeScript[name] : undefined;
  }
  if (error.name !== 'ModuleNotFoundError' || !/^No module named '[\w.]+'$/.test(error.message)) return undefined;
  return "there is Python's standard library, and the modules that the application registered";
}
