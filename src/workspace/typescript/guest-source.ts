// The boot code as one piece of text: the modules in guest/, joined in the order of their imports. Done by hand because
// the text must be the same, to the last character, wherever it is made: its hash names the boot image.
import { readFileSync } from 'node:fs';

const first = './entry.js';

/** An expression whose value is the function `boot` of entry.js. */
export function guestSource(): string {
  const modules = new Map<string, string>();
  join(first, modules, []);
  const parts = [...modules.values()].join('\n');
  return `(() => {\n'use strict';\nconst modules = { __proto__: null };\n${parts}\nreturn modules[${JSON.stringify(first)}].boot;\n})()`;
}

/** Adds a module and, before it, those it imports. */
function join(name: string, modules: Map<string, string>, path: readonly string[]): void {
  if (modules.has(name)) return;
  if (path.includes(name)) throw new Error(`Boot modules import each other: ${[...path, name].join(' → ')}`);
  const source = readFileSync(new URL(`./guest/${name.slice(2)}`, import.meta.url), 'utf8');
  const linked = source.replaceAll(
    /^import (?:\* as (\w+)|\{([^}]*)\}) from '([^']+)';$/gm,
    (_, all: string | undefined, some: string | undefined, from: string) => {
      join(from, modules, [...path, name]);
      return `const ${all ?? `{${some}}`} = modules[${JSON.stringify(from)}];`;
    },
  );
  const exported = [...linked.matchAll(/^export (?:function|const|class) (\w+)/gm)].map((match) => match[1]);
  const body = linked.replaceAll(/^export (?=function|const|class)/gm, '');
  modules.set(
    name,
    `(() => {\n${body}\nmodules[${JSON.stringify(name)}] = { __proto__: null, ${exported.join(', ')} };\n})();`,
  );
}
