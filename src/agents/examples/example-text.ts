// Examples to and from the text of their files.
import { difficulties, type Difficulty } from '../../models/door.ts';
import { takeHeaders } from '../files/headers.ts';
import { fenceAfter } from '../files/lines.ts';
import { shownPath } from '../files/shown-path.ts';
import type { Language } from '../prompts/metadata.ts';
import { ExampleFileError } from './errors.ts';
import type { ChatItem, Example } from './example.ts';

const marker = /^### (user|assistant|system)\s*$/;
const codeLabels = new Set(['ts', 'typescript', 'js', 'javascript', 'py', 'python']);
/** Lines that mean something, and those with more backslashes before them. */
const special = /^(\\*)(?=### (?:user|assistant|system)\s*$|\s{0,3}(?:```|~~~)|> |>$)/;

/** Reads the text of an example; `path` names it in errors, `name` is its name if it has no header for it. */
export function parseExample(text: string, path: string, name = path): Example {
  const fail = (line: number, message: string): ExampleFileError =>
    new ExampleFileError(`${shownPath(path)}:${line} ${message}`, { path, line });
  const { headers, places, body } = takeHeaders(text, ['name', 'seq_id', 'difficulty'], fail);
  const number = headers['seq_id'];
  if (number !== undefined && !/^\d{1,15}$/.test(number))
    throw fail(places['seq_id'] ?? 1, `seq_id is '${number}'; it must be a whole number.`);
  const difficulty = headers['difficulty']?.toUpperCase();
  if (difficulty !== undefined && !difficulties.includes(difficulty as Difficulty))
    throw fail(
      places['difficulty'] ?? 1,
      `difficulty is '${difficulty}'; it must be one of ${difficulties.join(', ')}.`,
    );
  return {
    name: headers['name'] === undefined || headers['name'] === '' ? name : headers['name'],
    ...(number === undefined ? {} : { number: Number(number) }),
    ...(difficulty === undefined ? {} : { difficulty: difficulty as Difficulty }),
    items: itemsIn(body),
  };
}

interface OpenItem {
  readonly role: ChatItem['role'];
  readonly text: string[];
  code?: string[];
  console?: string[];
}

function itemsIn(body: string): ChatItem[] {
  const items: OpenItem[] = [];
  const lines = body.split('\n');
  const current = (): OpenItem => {
    const last = items.at(-1);
    if (last !== undefined) return last;
    items.push({ role: 'assistant', text: [] });
    return items.at(-1) as OpenItem;
  };
  /** After code has run, whatever is said or run is the next item. */
  const next = (): OpenItem => {
    const last = current();
    if (last.code === undefined && last.console === undefined) return last;
    items.push({ role: 'assistant', text: [] });
    return items.at(-1) as OpenItem;
  };
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] as string;
    const role = marker.exec(line)?.[1];
    const fence = fenceAfter(line, undefined);
    if (role !== undefined) {
      items.push({ role: role as ChatItem['role'], text: [] });
    } else if (fence !== undefined) {
      const label = line.trim().slice(fence.length).trim().toLowerCase();
      const content: string[] = [];
      let last = index;
      while (++last < lines.length && fenceAfter(lines[last] as string, fence) !== undefined)
        content.push(lines[last] as string);
      if (label === 'console') addConsole(items.at(-1)?.console === undefined ? current() : next(), content);
      else if (codeLabels.has(label)) next().code = content;
      else next().text.push(...lines.slice(index, last + 1));
      index = last;
    } else if (/^>( |$)/.test(line) && items.at(-1)?.code !== undefined)
      addConsole(current(), [line.replace(/^> ?/, '')]);
    else if (line.trim() !== '' || !isRun(items.at(-1)))
      next().text.push(line.replace(special, (slashes) => slashes.slice(1)));
  }
  return items.map(itemFrom).filter((item) => item !== undefined);
}

function isRun(item: OpenItem | undefined): boolean {
  return item?.code !== undefined || item?.console !== undefined;
}

function addConsole(item: OpenItem, lines: readonly string[]): void {
  item.console = [...(item.console ?? []), ...lines];
}

function itemFrom({ role, text, code, console }: OpenItem): ChatItem | undefined {
  const said = text
    .join('\n')
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd();
  if (role === 'assistant' && said === '' && code === undefined && console === undefined) return undefined;
  return {
    role,
    ...(said === '' ? {} : { text: said }),
    ...(code === undefined ? {} : { code: code.join('\n') }),
    ...(console === undefined ? {} : { console: console.join('\n') }),
  };
}

/** The text of an example's file. */
export function formatExample(example: Example, language: Language): string {
  const headers = [
    `# name: ${oneLine(example.name)}`,
    ...(example.number === undefined ? [] : [`# seq_id: ${example.number}`]),
    ...(example.difficulty === undefined ? [] : [`# difficulty: ${example.difficulty}`]),
  ];
  const items = example.items.map(({ role, text, code, console }) =>
    [
      `### ${role}`,
      ...(text === undefined || text.trim() === '' ? [] : [escaped(text.replace(/^(?:[ \t]*\n)+/, '').trimEnd())]),
      ...(code === undefined ? [] : [fenced(language === 'python' ? 'python' : 'ts', code)]),
      ...(console === undefined ? [] : [fenced('console', console)]),
    ].join('\n\n'),
  );
  return `${[headers.join('\n'), ...items].join('\n\n')}\n`;
}

function escaped(text: string): string {
  return text
    .split('\n')
    .map((line) => line.replace(special, (slashes) => `\\${slashes}`))
    .join('\n');
}

/** A fence longer than any in the text. */
export function fenced(label: string, text: string): string {
  const longest = Math.max(2, ...(text.match(/`{3,}/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${label}\n${text}\n${fence}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** A finished conversation as an example. */
export function exampleFromChat(
  name: string,
  items: readonly ChatItem[],
  more: { readonly number?: number | undefined; readonly difficulty?: Difficulty | undefined } = {},
): Example {
  const { number, difficulty } = more;
  return {
    name,
    ...(number === undefined ? {} : { number }),
    ...(difficulty === undefined ? {} : { difficulty }),
    items: items.filter(({ text, code, console }) => text !== undefined || code !== undefined || console !== undefined),
  };
}
