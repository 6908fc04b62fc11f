// Reads doc comments as people write them for TypeScript and JavaScript.
import { fenceAfter } from '../../files/lines.ts';
import { noDoc, splitBrief, type Doc, type OutcomeDoc, type ParameterDoc } from '../doc.ts';
import { takeAcl } from '../../../workspace/door.ts';
import { chooseVariant } from '../print/variants.ts';

interface Block {
  readonly tag: string;
  readonly text: string;
}

/** Reads the text of a comment, with or without its marks. */
export function parseDocComment(comment: string, variants?: readonly string[]): Doc {
  const { text, acl } = takeAcl(withoutMarks(comment));
  const [body = { tag: '', text: '' }, ...blocks] = blocksOf(chooseVariant(text, variants));
  const parameters: ParameterDoc[] = [];
  const throws: OutcomeDoc[] = [];
  const examples: string[] = [];
  const notes: string[] = [];
  let returns: OutcomeDoc | undefined;
  for (const block of blocks) {
    const line = withoutLinks(block.text);
    switch (block.tag) {
      case 'param':
      case 'arg':
      case 'argument':
        parameters.push(parameterIn(line));
        break;
      case 'return':
      case 'returns':
        returns = outcomeIn(line);
        break;
      case 'throws':
      case 'throw':
      case 'exception':
        throws.push(outcomeIn(line));
        break;
      case 'example':
        examples.push(block.text.trim());
        break;
      case 'remarks':
      case 'note':
        notes.push(line.trim());
        break;
      case 'deprecated':
        notes.push(`Deprecated. ${line.trim()}`.trim());
        break;
      default:
    }
  }
  return {
    ...noDoc,
    ...splitBrief(withoutLinks(body.text)),
    parameters,
    ...(returns === undefined ? {} : { returns }),
    throws,
    examples: examples.filter((example) => example !== ''),
    notes: notes.filter((note) => note !== ''),
    acl,
  };
}

function withoutMarks(comment: string): string {
  const text = comment.trim();
  const inner = text.startsWith('/*') ? text.replace(/^\/\*+/, '').replace(/\*+\/$/, '') : comment;
  const isStarred = inner
    .split('\n')
    .slice(1)
    .every((line) => /^\s*(\*|$)/.test(line));
  const lines = inner.split('\n').map((line, index) => {
    if (isStarred && index > 0) return line.replace(/^\s*\*? ?/, '').trimEnd();
    return index === 0 ? line.trim() : line.trimEnd();
  });
  if (isStarred) return lines.join('\n').trim();
  const indents = lines.slice(1).filter((line) => line.trim() !== '');
  const indent = Math.min(...indents.map((line) => line.length - line.trimStart().length));
  return lines
    .map((line, index) => (index === 0 ? line : line.slice(indent)))
    .join('\n')
    .trim();
}

/** The text before the first tag, and the tags; what begins with `@` inside code is code. */
function blocksOf(text: string): Block[] {
  const blocks: { tag: string; lines: string[] }[] = [{ tag: '', lines: [] }];
  let open: string | undefined;
  for (const line of text.split('\n')) {
    const [, tag, rest] = open === undefined ? (/^\s*@([A-Za-z]+)\b ?(.*)$/.exec(line) ?? []) : [];
    open = fenceAfter(line, open);
    if (tag === undefined || rest === undefined) blocks.at(-1)?.lines.push(line);
    else blocks.push({ tag: tag.toLowerCase(), lines: [rest] });
  }
  return blocks.map(({ tag, lines }) => ({ tag, text: lines.join('\n') }));
}

function withoutLinks(text: string): string {
  return text.replaceAll(/\{@(?:link|linkcode|linkplain)\s+([^}|\s]+)(?:[|\s]+([^}]*))?\}/g, (_, target, words) =>
    String((words as string | undefined) ?? target).trim(),
  );
}

/** `{type}` at the start, braces inside braces included. */
function takeType(text: string): { type?: string; rest: string } {
  const start = text.trimStart();
  if (!start.startsWith('{')) return { rest: start };
  let depth = 0;
  for (let index = 0; index < start.length; index++) {
    if (start[index] === '{') depth++;
    else if (start[index] === '}' && --depth === 0)
      return { type: start.slice(1, index).trim(), rest: start.slice(index + 1).trimStart() };
  }
  return { rest: start };
}

function parameterIn(text: string): ParameterDoc {
  const { type, rest } = takeType(text);
  const [, bracket, bracketed, plain, said = ''] =
    /^(?:(\[)\s*([\w$.]+)[^\]]*\]|([\w$.]+))\s*([\s\S]*)$/.exec(rest) ?? [];
  const isOptional = bracket !== undefined || type?.endsWith('=') === true;
  return {
    name: bracketed ?? plain ?? '',
    ...(type === undefined ? {} : { type: type.replace(/=$/, '') }),
    ...(isOptional ? { optional: true as const } : {}),
    text: oneLine(said.replace(/^[-–—:]\s*/, '')),
  };
}

function outcomeIn(text: string): OutcomeDoc {
  const { type, rest } = takeType(text);
  return { ...(type === undefined ? {} : { type }), text: oneLine(rest.replace(/^[-–—]\s*/, '')) };
}

function oneLine(text: string): string {
  return text.trim().replaceAll(/\s*\n\s*/g, ' ');
}
