// A link in the documentation leads somewhere: relative ones to a file of the repository, fragments to a heading.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const pages = ['.', 'docs', 'examples', 'bench']
  .filter((folder) => existsSync(join(root, folder)))
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: folder !== '.', encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  .filter((path) => path.endsWith('.md'));

it.each(pages)('%s', (page) => {
  const text = withoutCode(readFileSync(join(root, page), 'utf8'));
  const targets = [...text.matchAll(/\]\(([^()\s]+)\)/g)].map((match) => match[1] ?? '');
  expect(targets.filter((target) => !/^[a-z]+:/.test(target) && !leadsSomewhere(page, target))).toEqual([]);
});

function leadsSomewhere(page: string, target: string): boolean {
  const [path = '', fragment] = target.split('#');
  const file = path === '' ? join(root, page) : join(root, dirname(page), path);
  if (!existsSync(file)) return false;
  return fragment === undefined || (statSync(file).isFile() && fragmentsOf(readFileSync(file, 'utf8')).has(fragment));
}

/** As the usual renderers make them from headings. */
function fragmentsOf(text: string): Set<string> {
  const headings = [...withoutCode(text).matchAll(/^#+ (.*)$/gm)].map((match) => match[1] ?? '');
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replaceAll(/\s/g, '-'),
    ),
  );
}

function withoutCode(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```/gm, '');
}
