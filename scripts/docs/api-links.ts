// The line at the end of a page that leads to the API pages of everything its examples import.
import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';

const kinds = ['classes', 'functions', 'interfaces', 'type-aliases', 'variables'];
const imports = /^import \{([^}]*)\} from '(statek(?:\/\w+)?)';$/gm;

/** Empty if the examples import nothing that has a page. `page` is where the text will be, relative to `folder`. */
export function apiLinks(text: string, page: string, folder: string): string {
  const names = new Map<string, string>();
  for (const [, list = '', entry = ''] of text.matchAll(imports))
    for (const word of list.split(',')) {
      const name = word
        .trim()
        .replace(/^type /, '')
        .replace(/ as .*$/, '');
      const path = kinds
        .map((kind) => `reference/${entry}/${kind}/${name}.md`)
        .find((file) => existsSync(join(folder, file)));
      if (path !== undefined) names.set(name, path);
    }
  const links = [...names]
    .toSorted(([one], [other]) => one.localeCompare(other, 'en'))
    .map(([name, path]) => `[\`${name}\`](${posix.relative(posix.dirname(page), path)})`);
  return links.length === 0 ? '' : `\n**In the API:** ${links.join(' · ')}\n`;
}
