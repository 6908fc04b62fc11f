// Gathers the pages of the site in site/.pages: docs/ as it is, and the pages of the repository that docs/ links to. Links to other
// files of the repository become text, because the site does not have them. A link that leads nowhere is an error.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { CommandError } from '../support/run.ts';
import { root } from '../support/source.ts';
import { apiLinks } from './api-links.ts';
import { homePage } from './home.ts';
import { isExternal, mapLinks, resolveLink } from './links.ts';

export const siteFolder = join(root, 'site');
/** A check of the site gathers its pages elsewhere, so that it does not disturb those that are being written. */
export const pagesFolder = join(siteFolder, process.env['STATEK_SITE_PAGES'] ?? '.pages');

/** Pages outside of docs/ that belong to the site. */
const repositoryPages = [
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'deploy/README.md',
  'tests/fixtures/stores/README.md',
  'tests/hostile/README.md',
  ...readmesIn('examples'),
  ...readmesIn('engines'),
];

/** Writes all pages anew. The generated reference has a folder of its own and stays; pages link to it if it is there. */
export function gatherPages(): void {
  const sources = [...markdownIn('docs'), ...repositoryPages];
  const dead: string[] = [];
  for (const name of existsSync(pagesFolder) ? readdirSync(pagesFolder) : [])
    if (name !== 'reference') rmSync(join(pagesFolder, name), { recursive: true, force: true });
  for (const source of sources) {
    const target = join(pagesFolder, pageOf(source));
    mkdirSync(dirname(target), { recursive: true });
    const text = readFileSync(join(root, source), 'utf8');
    const page = sitePage(source, text, dead) + apiLinks(text, pageOf(source), pagesFolder);
    writeFileSync(target, source === 'docs/README.md' ? homePage(page) : page);
  }
  cpSync(join(root, 'docs/pictures'), join(pagesFolder, 'pictures'), { recursive: true });
  if (dead.length > 0) throw new CommandError(`Links that lead nowhere:\n${dead.join('\n')}`);
}

/** Where a page of the repository is on the site: docs/ is its root, and a README is the index of its folder. */
function pageOf(source: string): string {
  const inDocs = source.startsWith('docs/');
  const path = inDocs ? source.slice('docs/'.length) : posix.join('repository', source);
  return path.replace(/(^|\/)README\.md$/, '$1index.md');
}

function sitePage(source: string, text: string, dead: string[]): string {
  return mapLinks(text, (whole, label, target, line) => {
    if (isExternal(target)) return whole;
    const { path, anchor } = resolveLink(source, target);
    const place = existsSync(join(root, path)) ? fileOf(path) : undefined;
    if (place === undefined) {
      dead.push(`${source}:${line} ${target}`);
      return whole;
    }
    const isPage = place.startsWith('docs/') || repositoryPages.includes(place);
    if (!isPage) return label.startsWith('!') ? whole : fileText(label.slice(1, -1), place);
    const there = posix.relative(posix.dirname(pageOf(source)), pageOf(place));
    const sharp = anchor === '' ? '' : `#${anchor}`;
    return `${label}(${place === source && anchor !== '' ? sharp : (there.startsWith('.') ? there : `./${there}`) + sharp})`;
  });
}

/** A file that is not on the site: its path, behind what the link says unless that is its name. */
function fileText(said: string, path: string): string {
  return said.replaceAll('`', '') === posix.basename(path) || said === path ? `\`${path}\`` : `${said} (\`${path}\`)`;
}

/** A folder means its README. */
function fileOf(path: string): string {
  const readme = posix.join(path, 'README.md');
  return statSync(join(root, path)).isDirectory() && existsSync(join(root, readme)) ? readme : path;
}

function markdownIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => posix.join(folder, name.replaceAll('\\', '/')));
}

function readmesIn(folder: string): string[] {
  return markdownIn(folder).filter((name) => name.endsWith('/README.md') && !name.includes('node_modules'));
}
