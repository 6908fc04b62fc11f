// Every link in the documentation leads somewhere, to the heading it names too; every page is in the table of contents.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { contents } from '../../scripts/docs/contents.ts';
import { anchorsOf, isExternal, linksIn, resolveLink } from '../../scripts/docs/links.ts';
import { root } from './support.ts';

const inDocs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => name.endsWith('.md'));
const others = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'examples/README.md',
  'deploy/README.md',
];
const pages = [...inDocs.map((name) => `docs/${name}`), ...others];
const texts = new Map(pages.map((page) => [page, readFileSync(join(root, page), 'utf8')]));

it('has no dead links', () => {
  const dead = [...texts].flatMap(([page, text]) =>
    linksIn(text).flatMap(({ line, target }) => {
      if (isExternal(target)) return [];
      const { path, anchor } = resolveLink(page, target);
      const isThere = existsSync(join(root, path));
      const hasAnchor = anchor === '' || !texts.has(path) || anchorsOf(texts.get(path) ?? '').has(anchor);
      return isThere && hasAnchor ? [] : [`${page}:${line} ${target}`];
    }),
  );
  expect(dead).toEqual([]);
});

it('lists every page once', () => {
  const listed = contents.flatMap((section) => section.pages.map(({ path }) => path));
  const wanted = inDocs.filter((name) => name !== 'README.md' && !/^decisions\/\d/.test(name));
  expect(listed.toSorted()).toEqual(wanted.toSorted());
  const readme = new Set(linksIn(texts.get('docs/README.md') ?? '').map(({ target }) => target));
  expect(listed.filter((path) => !readme.has(path))).toEqual([]);
});
