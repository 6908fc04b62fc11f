// How an example looks in each chat style: as the conversation itself would.
import type { Language } from '../prompts/metadata.ts';
import type { ChatStyle } from '../settings/chat-style.ts';
import { fenced } from './example-text.ts';
import type { ChatItem, Example } from './example.ts';

export interface LayoutOptions {
  readonly style: ChatStyle;
  readonly language: Language;
  /** The tag that wraps console text; default: none, and CONSOLE in MD_DIALOG. */
  readonly consoleBox?: string | undefined;
  /** The tag that wraps the whole. */
  readonly exampleBox?: string | undefined;
}

export function layOutExample(example: Example, options: LayoutOptions): string {
  const name =
    options.style === 'CONSOLE' ? commented(`Example: ${example.name}`, options.language) : `Example: ${example.name}`;
  const text = [name, ...example.items.map((item) => layOutItem(item, options))]
    .filter((part) => part !== '')
    .join('\n\n');
  return options.exampleBox === undefined ? text : boxed(options.exampleBox, text);
}

function layOutItem({ role, text, code, console }: ChatItem, options: LayoutOptions): string {
  const { style, language } = options;
  const speaker = role === 'assistant' ? '' : role === 'user' ? 'User: ' : 'System: ';
  const parts: string[] = [];
  if (text !== undefined) {
    const prose = speaker + text;
    parts.push(style === 'CONSOLE' ? commented(prose, language) : prose);
  }
  if (code !== undefined) parts.push(layOutCode(code, options));
  if (console !== undefined) parts.push(layOutConsole(console, options));
  return parts.join(style === 'CONSOLE' ? '\n' : '\n\n');
}

function layOutCode(code: string, { style, language }: LayoutOptions): string {
  if (style === 'CONSOLE') return code;
  const block = fenced(language === 'python' ? 'python' : 'ts', code);
  return style === 'DIRECT' ? `Tool call ${codeTool(language)}:\n${block}` : block;
}

/** What code printed, as the style shows it. */
function layOutConsole(text: string, { style, consoleBox }: LayoutOptions): string {
  switch (style) {
    case 'CONSOLE': {
      const lines = text
        .split('\n')
        .map((line) => (line === '' ? '>' : `> ${line}`))
        .join('\n');
      return consoleBox === undefined ? lines : boxed(consoleBox, lines);
    }
    case 'MARKDOWN':
      return consoleBox === undefined ? text : boxed(consoleBox, text);
    case 'MD_DIALOG':
      return boxed(consoleBox ?? 'CONSOLE', text);
    case 'DIRECT':
      return `Tool result:\n${consoleBox === undefined ? text : boxed(consoleBox, text)}`;
  }
}

/** The tool through which DIRECT agents run code. */
function codeTool(language: Language): 'ts_cli' | 'python_cli' {
  return language === 'python' ? 'python_cli' : 'ts_cli';
}

/** Text as comments of a language. */
export function commented(text: string, language: Language): string {
  const mark = language === 'python' ? '#' : '//';
  return text
    .split('\n')
    .map((line) => (line === '' ? mark : `${mark} ${line}`))
    .join('\n');
}

function boxed(tag: string, text: string): string {
  return `<${tag}>\n${text}\n</${tag}>`;
}
