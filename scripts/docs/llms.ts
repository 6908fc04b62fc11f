// The documentation for language models: llms.txt lists the pages, llms-full.txt has all of them, and each page is there as Markdown.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../support/source.ts';
import { contents } from './contents.ts';

/** Writes the files into the built site. */
export function writeForModels(folder: string): void {
  const pages = contents.flatMap((section) => section.pages);
  for (const { path } of pages) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(root, 'docs', path), join(folder, path));
  }
  writeFileSync(join(folder, 'llms.txt'), listed());
  const whole = pages.map(({ path }) => `<!-- ${path} -->\n\n${textOf(path).trim()}\n`);
  writeFileSync(join(folder, 'llms-full.txt'), whole.join('\n'));
}

export function listed(): string {
  const sections = contents.map(({ title, about, pages }) => {
    const lines = pages.map(
      (page) => `- [${page.title.replace('· ', '')}](${page.path}): ${summaryOf(textOf(page.path))}`,
    );
    return `## ${title}\n\n${about}\n\n${lines.join('\n')}\n`;
  });
  return `# Statek\n\n> A durable workspace for LLM agents: the model writes ordinary TypeScript or Python against an application's objects, and the program survives restarts and can be inspected, rewound and forked.\n\nEverything in one file: [llms-full.txt](llms-full.txt). Examples in these pages run in the test suite.\n\n${sections.join('\n')}`;
}

/** The first sentence below the title, without markup. */
function summaryOf(text: string): string {
  const paragraph = text.split('\n\n').find((part) => /^[A-Z`*]/.test(part) && !part.startsWith('![')) ?? '';
  const plain = paragraph
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[*`]/g, '')
    .replaceAll(/\s+/g, ' ');
  return /^.*?[.:?](?= [A-Z]|$)/.exec(plain)?.[0] ?? plain;
}

function textOf(path: string): string {
  return readFileSync(join(root, 'docs', path), 'utf8');
}
