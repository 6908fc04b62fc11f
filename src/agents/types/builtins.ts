// What guest code finds besides its tools and variables, for the type checker. What it does not know better is `any`:
// a check that complains about right code is worse than one that overlooks wrong code.

export const builtins: readonly (readonly [name: string, declaration: string])[] = [
  ['print', 'declare function print(...values: any[]): void;'],
  [
    'console',
    'declare const console: Record<"log" | "info" | "warn" | "error" | "debug", (...values: any[]) => void>;',
  ],
  ['sleep', 'declare function sleep(milliseconds: number): Promise<void>;'],
  ['until', 'declare function until(date: Date | string | number): Promise<void>;'],
  ['signal', 'declare function signal(name: string, options?: { timeout?: number }): Promise<any>;'],
  ['ask', 'declare function ask(question: string, details?: any, options?: { timeout?: number }): Promise<any>;'],
  ['approve', 'declare function approve(what: string, details?: any, options?: { timeout?: number }): Promise<any>;'],
  ['exit', 'declare function exit(value?: any): never;'],
  ['fail', 'declare function fail(reason?: any): never;'],
  ...[
    'delegate startSubtask findSubtask completeSubtask clarify answer event input setTimeout clearTimeout',
    'setInterval clearInterval queueMicrotask structuredClone TextEncoder TextDecoder URL URLSearchParams atob btoa',
    'crypto performance navigator',
  ]
    .join(' ')
    .split(' ')
    .map((name) => [name, `declare let ${name}: any;`] as const),
];
