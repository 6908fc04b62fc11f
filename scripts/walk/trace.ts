// Records which functions of src/ are entered, in order, by inserting a call at the start of every function when a source
// file is loaded. Only this thread is recorded, and only while a recording is active.
import { readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { fileURLToPath } from 'node:url';
import { parse } from '@babel/parser';
import { traverseFast, type Node } from '@babel/types';

const sources = new URL('../../src/', import.meta.url).href;

/** A function by its file and position. An anonymous callback belongs to the enclosing function. */
export interface TracedFunction {
  readonly file: string;
  readonly name: string;
}

const functions: TracedFunction[] = [];
let recording: number[] | undefined;

(globalThis as Record<string, unknown>)['__statekEnter'] = (id: number): void => void recording?.push(id);

/** Every function entered while `action` runs, in order. */
export async function traced(action: () => Promise<void>): Promise<readonly TracedFunction[]> {
  const entered: number[] = (recording = []);
  try {
    await action();
  } finally {
    recording = undefined;
  }
  return entered.map((id) => functions[id] as TracedFunction);
}

export function traceSources(): void {
  registerHooks({
    load(url, context, next) {
      if (!url.startsWith(sources) || !url.endsWith('.ts')) return next(url, context);
      const source = instrumented(url.slice(sources.length), readFileSync(fileURLToPath(url), 'utf8'));
      return { format: 'module', source, shortCircuit: true };
    },
  });
}

function instrumented(file: string, typed: string): string {
  const source = stripTypeScriptTypes(typed);
  const insertions: { readonly at: number; readonly text: string }[] = [];
  const program = parse(source, { sourceType: 'module', createParenthesizedExpressions: true });
  const named = namedFunctions(program);
  traverseFast(program, (node) => {
    if (!('body' in node) || !/Function|Method/.test(node.type) || !isNamed(node, named)) return;
    const body = node.body as Node | null;
    if (body?.start === null || body?.start === undefined || typeof body.end !== 'number') return;
    const line = source.slice(0, node.start ?? 0).split('\n').length;
    const id = functions.push({ file, name: `${file}:${line} ${nameOf(node, named)}` }) - 1;
    if (body.type === 'BlockStatement')
      insertions.push({ at: body.start + 1, text: `globalThis.__statekEnter(${id});` });
    else insertions.push({ at: body.start, text: `(globalThis.__statekEnter(${id}),` }, { at: body.end, text: ')' });
  });
  let text = source;
  for (const { at, text: inserted } of insertions.toSorted((a, b) => b.at - a.at))
    text = `${text.slice(0, at)}${inserted}${text.slice(at)}`;
  return text;
}

/** Functions named by a variable or property. */
function namedFunctions(program: Node): ReadonlyMap<Node, string> {
  const named = new Map<Node, string>();
  const values: Partial<Record<Node['type'], string>> = {
    VariableDeclarator: 'init',
    ObjectProperty: 'value',
    ClassProperty: 'value',
    ClassPrivateProperty: 'value',
  };
  traverseFast(program, (node) => {
    const member = values[node.type];
    const value = member === undefined ? undefined : (node as unknown as Record<string, Node | null>)[member];
    if (value !== undefined && value !== null) named.set(value, nameIn(node, 'id') ?? nameIn(node, 'key') ?? '');
  });
  return named;
}

function nameOf(node: Node, named: ReadonlyMap<Node, string>): string {
  return named.get(node) ?? nameIn(node, 'id') ?? nameIn(node, 'key') ?? '';
}

function nameIn(node: Node, member: 'id' | 'key'): string | undefined {
  const found = (node as unknown as Record<string, { name?: string; id?: { name?: string } } | null>)[member];
  return found?.name ?? (found?.id?.name === undefined ? undefined : `#${found.id.name}`);
}

function isNamed(node: Node, named: ReadonlyMap<Node, string>): boolean {
  return !/^(?:Arrow)?FunctionExpression$/.test(node.type) || named.has(node);
}
