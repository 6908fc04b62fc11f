// The boot code as one piece of text: the modules in guest/, joined in the order of their imports. Done by hand because
// the text must be the same, to the last character, wherever it is made: its hash names the boot image.
import { readFileSync } from 'node:fs';
import { parseSync } from 'oxc-parser';

const first = './entry.js';

/** An expression whose value is the function `boot` of entry.js. */
export function guestSource(): string {
  const modules = new Map<string, string>();
  join(first, modules);
  return `(() => {\n'use strict';\nconst modules = { __proto__: null };\n${[...modules.values()].join('\n')}\nreturn modules[${JSON.stringify(first)}].boot;\n})()`;
}

/** Adds a module and, before it, those it imports. Modules that import each other in a circle are a mistake here. */
function join(name: string, modules: Map<string, string>, path: readonly string[] = []): void {
  if (modules.has(name)) return;
  if (path.includes(name)) throw new Error(`Boot modules import each other: ${[...path, name].join(' → ')}`);
  const source = readFileSync(new URL(`./guest/${name.slice(2)}`, import.meta.url), 'utf8');
  const { module, errors } = parseSync(name, source, { sourceType: 'module' });
  if (errors.length > 0) throw new Error(`${name}: ${errors[0]?.message}`);
  let text = source;
  const exported: string[] = [];
  // From the last to the first, so that positions before stay true.
  for (const { start, end, moduleRequest, entries } of module.staticImports.toReversed()) {
    join(moduleRequest.value, modules, [...path, name]);
    const from = `modules[${JSON.stringify(moduleRequest.value)}]`;
    const names = entries.map(({ importName, localName }) => (importName.kind === 'NamespaceObject' ? localName.value : `${importName.name}: ${localName.value}`));
    const target = entries[0]?.importName.kind === 'NamespaceObject' ? names[0] : `{ ${names.join(', ')} }`;
    text = `${text.slice(0, start)}const ${target} = ${from};${text.slice(end)}`;
  }
  for (const match of text.matchAll(/^export (?:function|const|class) (\w+)/gm)) exported.push(match[1] as string);
  text = text.replaceAll(/^export (?=function|const|class)/gm, '');
  modules.set(name, `(() => {\n${text}\nmodules[${JSON.stringify(name)}] = { __proto__: null, ${exported.join(', ')} };\n})();`);
}
