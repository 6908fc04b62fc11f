// Finds the functions that handle references to JavaScript objects. Asyncify cannot save such references, so these functions
// are left as they are. They are the bridge to JavaScript of the package the engine comes from, which our host denies: none of
// them is ever on the stack when a program suspends.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

/** Names, as Binaryen gives them, of the functions in a file of WASM text. */
export async function externrefFunctions(textFile: string): Promise<string[]> {
  const types = new Map<string, string>();
  const returning = new Set<string>();
  const touching = new Map<string, boolean>();
  const calls = new Map<string, Set<string>>();
  let current: string | undefined;
  for await (const line of createInterface({ input: createReadStream(textFile) })) {
    const type = /^ \(type (\$\S+) \(func(.*)\)\)$/.exec(line);
    const imported = /^ \(import "[^"]+" "[^"]+" \(func (\$\S+) \(type (\$\S+)\)/.exec(line);
    const begun = /^ \(func (\$\S+) (.*)$/.exec(line);
    if (type !== null) {
      types.set(type[1] ?? '', type[2] ?? '');
    } else if (imported !== null) {
      if (/result externref/.test(types.get(imported[2] ?? '') ?? '')) returning.add(imported[1] ?? '');
    } else if (begun !== null) {
      current = begun[1] ?? '';
      touching.set(current, (begun[2] ?? '').includes('externref'));
      if (/result externref/.test(begun[2] ?? '')) returning.add(current);
    } else if (current !== undefined && line.startsWith(' )')) {
      current = undefined;
    } else if (current !== undefined) {
      if (/externref|\(table\.get|ref\.null|exnref/.test(line)) touching.set(current, true);
      const called = /\(call (\$[^\s)]+)/.exec(line)?.[1];
      if (called !== undefined) calls.set(current, (calls.get(current) ?? new Set<string>()).add(called));
      const indirect = /\(call_indirect.*\(type (\$[^\s)]+)\)/.exec(line)?.[1];
      if (indirect !== undefined && (types.get(indirect) ?? '').includes('externref')) touching.set(current, true);
    }
  }
  for (const [caller, called] of calls) for (const one of called) if (returning.has(one)) touching.set(caller, true);
  return [...touching].filter(([, touches]) => touches).map(([name]) => name.slice(1));
}
