// The files on the page about prompts are read, and its tables have every key, setting and language.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DocumentDirectory } from '../../src/agents/documents/document-directory.ts';
import { briefTools } from '../../src/agents/docs/listing.ts';
import { toolDeclaration } from '../../src/agents/docs/tool-declaration.ts';
import { parseExample } from '../../src/agents/examples/example-text.ts';
import { MemoryFiles } from '../../src/agents/files/text-files.ts';
import { languages } from '../../src/agents/locale/languages.ts';
import { metadataKeys } from '../../src/agents/prompts/metadata.ts';
import { parsePrompt } from '../../src/agents/prompts/parse-prompt.ts';
import { defaultJobLimits, limitKey, limitNames } from '../../src/agents/settings/limits.ts';
import { readSettings } from '../../src/agents/settings/settings.ts';
import { root } from './support.ts';

const page = readFileSync(join(root, 'docs/prompts.md'), 'utf8');
const [promptFile = '', shown = '', exampleFile = '', documentFile = ''] = [
  ...page.matchAll(/^````\w+\n([\s\S]*?)^````$/gm),
].map(([, text = '']) => text);

function rowsAfter(header: string): string[][] {
  const [, table = ''] = page.split(`| ${header} |`);
  const lines = table.slice(0, table.indexOf('\n\n')).split('\n').slice(2);
  return lines.map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')));
}

it('the prompt gives the text below it', () => {
  const tool = toolDeclaration({
    name: 'book',
    description: 'Books a room.',
    input: {
      type: 'object',
      properties: { title: { type: 'string' }, day: { type: 'string', format: 'date-time' } },
      required: ['title', 'day'],
    },
    output: { 'x-statek-class': 'Meeting' },
    async: true,
  });
  const { template } = parsePrompt(promptFile, 'calendar.md');
  const values: Record<string, string> = { company: 'Acme', brief_tools: briefTools([tool], 'typescript') };
  expect(`${template.render('L', (name) => values[name])}\n`).toBe(shown);
});

it('the example and the document are read', () => {
  expect(parseExample(exampleFile, 'a.md')).toMatchObject({
    name: 'Move a meeting',
    number: 10,
    items: [{ role: 'user' }, { role: 'assistant', console: "<Meeting 'Weekly planning'>" }],
  });
  const documents = new DocumentDirectory('d', { files: new MemoryFiles({ 'd/a.md': documentFile }) });
  expect(documents.list('clerk')).toBe('Travel:\n3. Booking trains');
  expect(documents.list('boss')).toBe('There are no documents.');
});

it('every key is listed, with the limits as they are', () => {
  const rows = rowsAfter('key | value');
  expect(rows.map(([, key]) => key)).toEqual(metadataKeys);
  const listed = Object.fromEntries(rows.map(([, key = '', text = '']) => [key, text.split('; ').at(-1)]));
  for (const name of limitNames) {
    const limit = defaultJobLimits[name];
    expect(listed[limitKey(name)]).toBe(Number.isFinite(limit) ? String(limit) : 'unlimited');
  }
});

it('every setting is listed', () => {
  const { origins } = readSettings({}, { env: {} });
  const expected = origins
    .filter(({ name }) => !name.startsWith('limits.'))
    .map(({ variable, name }) => [variable, name]);
  expect(rowsAfter('variable | in code | value').map(([, variable, name]) => [variable, name])).toEqual(expected);
});

it('every language is listed', () => {
  const codes = languages.map(({ code }) => code).toSorted();
  expect(page).toContain(`There\nare ${codes.length} languages: ${codes.join(', ')}.`);
});
