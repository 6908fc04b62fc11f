// Makes the built site work under any path. VitePress must know where a site is served; it is built for a place that does not exist,
// and that place is then replaced: in pages by the way up to the root, in scripts by what the page found out when it was loaded.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** The place the site is built for. */
export const placeholder = '/__statek_site__/';

export function makeRelative(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = name.replaceAll('\\', '/');
    const change = path.endsWith('.html')
      ? page
      : path.endsWith('.js')
        ? script
        : path.endsWith('.css')
          ? sheet
          : undefined;
    if (change === undefined) continue;
    const file = join(folder, name);
    writeFileSync(file, change(readFileSync(file, 'utf8'), path));
  }
}

/** The page finds the root from its own address, so that the same file can be anywhere. */
function page(text: string, path: string): string {
  const up = wayUp(path);
  const find = `<script>globalThis.__statekSite=new URL(${JSON.stringify(up)},location.href).pathname</script>`;
  return text
    .replace('<head>', `<head>${find}`)
    .replaceAll(/<script(?![^>]*\bsrc=)[^>]*>[\s\S]*?<\/script>/g, (whole) => script(whole))
    .replaceAll(placeholder, up);
}

/** In a script the place is the beginning of a string, or inside of one that is parsed as JSON. */
function script(text: string, path = ''): string {
  if (path.includes('localSearchIndex')) return searchIndex(text);
  const parsed = text.replaceAll(`\\"${placeholder}\\"`, '\\""+globalThis.__statekSite+"\\"');
  return parsed.replaceAll(
    new RegExp(`(["'\`])${placeholder}((?:(?!\\1)[^\\\\\\n])*)\\1`, 'g'),
    (_whole, quote: string, rest: string) => `(globalThis.__statekSite+${quote}${rest}${quote})`,
  );
}

/** The index of the search is one long text with the address of every heading in it. */
function searchIndex(text: string): string {
  const place = JSON.stringify(placeholder);
  return text.replace(
    /^const (\w+)=([\s\S]*);(export\s*\{[^}]*\};?\s*)$/,
    (_whole, name: string, value: string, rest: string) =>
      `const ${name}=(${value}).replaceAll(${place},globalThis.__statekSite);${rest}`,
  );
}

function sheet(text: string, path: string): string {
  return text.replaceAll(placeholder, wayUp(path));
}

function wayUp(path: string): string {
  const up = posix.relative(posix.dirname(path), '.');
  return up === '' ? './' : `${up}/`;
}

/** Links and files that pages name and that are not there. */
export function missingIn(folder: string): string[] {
  const files = new Set(
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/')),
  );
  return [...files]
    .filter((name) => name.endsWith('.html') && name !== '404.html')
    .flatMap((name) => {
      const text = readFileSync(join(folder, name), 'utf8');
      const named = [...text.matchAll(/(?:href|src)="([^"#?]+)[^"]*"/g)].map(([, target = '']) => target);
      return named
        .filter((target) => !/^(?:[a-z]+:|\/\/)/i.test(target))
        .map((target) => posix.join(posix.dirname(name), decodeURI(target)))
        .map((path) => (path.endsWith('/') || path === '.' ? posix.join(path, 'index.html') : path))
        .filter((path) => !files.has(path))
        .map((path) => `${name}: ${path}`);
    });
}
