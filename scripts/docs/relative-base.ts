// Makes the built site work under any path. VitePress must know where a site is served; it is built for a place that does not exist,
// and that place is then replaced: in pages by the way up to the root, in scripts by what the page found out when it was loaded.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** The place the site is built for. */
export const placeholder = '/__statek_site__/';

const quotes = ['"', "'", '`'];

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
  // The page for addresses that do not exist is served at any depth.
  const up = path === '404.html' ? './' : wayUp(path);
  const find = `<script>globalThis.__statekSite=new URL(${JSON.stringify(up)},location.href).pathname</script>`;
  return inScripts(text.replace('<head>', `<head>${find}`)).replaceAll(placeholder, up);
}

/** Scripts inside a page get the address as an expression; its attributes get the way up. */
function inScripts(text: string): string {
  return text.replaceAll(/<script(?![^>]*\bsrc=)[^>]*>[\s\S]*?<\/script>/g, (whole) =>
    whole.replaceAll(`\\"${placeholder}\\"`, '\\""+globalThis.__statekSite+"\\"'),
  );
}

function script(text: string): string {
  return quotes.reduce(
    (changed, quote) => changed.replaceAll(`${quote}${placeholder}`, `globalThis.__statekSite+${quote}`),
    text,
  );
}

function sheet(text: string, path: string): string {
  return text.replaceAll(placeholder, wayUp(path));
}

function wayUp(path: string): string {
  const up = posix.relative(posix.dirname(path), '.');
  return up === '' ? './' : `${up}/`;
}
