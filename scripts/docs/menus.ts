// The menus of the site, as a file that its configuration reads: the table of contents, and the entry points of the package.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { entryPoints } from '../support/entry-points.ts';
import { root } from '../support/source.ts';
import { contents } from './contents.ts';
import { pagesFolder } from './pages.ts';

export function writeMenus(): void {
  const guide = contents.map(({ title, pages }) => ({
    text: title,
    collapsed: title === 'Coming from' || title === 'Inside',
    items: pages.map(({ title: text, path }) => ({ text, link: linkOf(path) })),
  }));
  // Every page has the whole menu in it, so the reference has its entry points there and its exports on their pages.
  const reference = entryPoints()
    .filter(({ name }) => existsSync(join(pagesFolder, 'reference', name, 'index.md')))
    .map(({ name }) => ({ text: name, link: `/reference/${name}/` }));
  writeFileSync(
    join(pagesFolder, 'menus.json'),
    JSON.stringify({
      examples: [...exampleMenu(), { text: 'Documentation', link: '/' }],
      guide: reference.length === 0 ? guide : [...guide, { text: 'API', link: '/reference/' }],
      reference:
        reference.length === 0
          ? []
          : [
              { text: 'API', items: reference },
              { text: 'Documentation', link: '/' },
            ],
    }),
  );
}

/** The examples in the groups of their list. */
function exampleMenu(): { text: string; items: { text: string; link: string }[] }[] {
  const list = readFileSync(join(root, 'examples/README.md'), 'utf8');
  return list
    .split(/^## /m)
    .slice(1)
    .map((group) => ({
      text: group.slice(0, group.indexOf('\n')),
      items: [...group.matchAll(/^\| \[([\w-]+)\]/gm)].map(([, name = '']) => ({
        text: name,
        link: `/repository/examples/${name}/`,
      })),
    }));
}

function linkOf(path: string): string {
  return `/${path.replace(/(^|\/)README\.md$/, '$1').replace(/\.md$/, '')}`;
}
