// Reads a prompt file, or a prompt that is given in code.
import type { Difficulty } from '../../models/door.ts';
import { hashOf } from '../files/parsed-files.ts';
import { linesOf } from '../files/lines.ts';
import { shownPath } from '../files/shown-path.ts';
import { dialects } from '../language.ts';
import { promptFileError, PromptValueError } from './errors.ts';
import { readMetadata } from './metadata.ts';
import { fillIn, placeholdersIn } from './placeholders.ts';
import { listingNames, type Prompt, type PromptTemplate } from './prompt.ts';
import { parseSections, shownText } from './sections.ts';

export interface ParsePromptOptions {
  /** Names of the job's parameters, in addition to those of the file. */
  readonly parameters?: readonly string[] | undefined;
}

/** Reads the text of a prompt file; `path` names it in errors. */
export function parsePrompt(text: string, path: string, options: ParsePromptOptions = {}): Prompt {
  const lines = linesOf(text);
  const end = lines.findIndex((line) => /^#\s*system prompt\s*:?\s*$/i.test(line));
  if (end < 0)
    throw promptFileError(path, lines.length, "The file has no line '# System Prompt', which ends its settings.");
  const places = new Map<string, number>();
  const entries: Record<string, string> = {};
  for (const [index, line] of lines.slice(0, end).entries()) {
    if (line.trim() === '') continue;
    const [, key, value] = /^#\s*([A-Z][A-Z0-9_]*)\s*:(.*)$/.exec(line) ?? [];
    if (key === undefined || value === undefined)
      throw promptFileError(
        path,
        index + 1,
        `'${line.trim()}' is not a setting; write '# KEY: value', the key in capitals.`,
      );
    const before = places.get(key);
    if (before !== undefined)
      throw promptFileError(path, index + 1, `${key} is set a second time; line ${before} has it already.`);
    places.set(key, index + 1);
    entries[key] = value.trim();
  }
  const metadata = readMetadata(entries, (key, message) =>
    promptFileError(path, (key === undefined ? undefined : places.get(key)) ?? end + 1, message),
  );
  const template = parseTemplate(lines.slice(end + 1).join('\n'), {
    path,
    firstLine: end + 2,
    parameters: [...(metadata.parameters ?? []), ...(options.parameters ?? [])],
  });
  const language = metadata.language ?? impliedLanguage(entries['LLM_TOOLS_SCOPE'], template.text);
  return {
    path,
    hash: hashOf(text),
    metadata: language === undefined ? metadata : { ...metadata, language },
    template,
  };
}

/** A file without LANGUAGE that is written for Python is for Python: it names the code tool, or has fences of Python alone. */
function impliedLanguage(scope: string | undefined, text: string): 'python' | undefined {
  if (/\bpython_cli\b/.test(`${scope ?? ''}\n${text}`)) return 'python';
  const fences = [...text.matchAll(/^\s*```(\w+)/gm)].map(([, label = '']) => label.toLowerCase());
  const isPython = (label: string): boolean => dialects.python.fences.includes(label);
  return fences.some(isPython) && !fences.some((label) => dialects.typescript.fences.includes(label))
    ? 'python'
    : undefined;
}

export interface TemplateOptions {
  /** What errors call the text. */
  readonly path: string;
  /** The number of its first line; default: 1. */
  readonly firstLine?: number | undefined;
  readonly parameters?: readonly string[] | undefined;
}

/** Reads the text of a prompt, without settings. */
export function parseTemplate(written: string, options: TemplateOptions): PromptTemplate {
  const all = linesOf(written);
  const blank = all.findIndex((line) => line.trim() !== '');
  const text = all.slice(Math.max(blank, 0)).join('\n').trimEnd();
  const firstLine = (options.firstLine ?? 1) + Math.max(blank, 0);
  const failAt = (offset: number, message: string): Error =>
    promptFileError(options.path, firstLine + text.slice(0, offset).split('\n').length - 1, message);
  const known = new Set<string>([...listingNames, ...(options.parameters ?? [])]);
  const parts = parseSections(text, failAt);
  const placeholders = placeholdersIn(text, known, failAt);
  return {
    text,
    placeholders,
    render(difficulty: Difficulty, valueOf: (placeholder: string) => string | undefined): string {
      const values = new Map<string, string>();
      const remembered = (name: string): string => {
        const value = values.get(name) ?? valueOf(name);
        if (value === undefined) {
          throw new PromptValueError(`${shownPath(options.path)} uses {${name}}, and the job gives no value for it.`, {
            name,
          });
        }
        values.set(name, value);
        return value;
      };
      return fillIn(shownText(parts, difficulty), known, remembered).trim();
    },
  };
}
