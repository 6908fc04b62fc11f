// The sections of a prompt's text, as a tree: what is shown at a difficulty is a walk through it.
import { difficulties, type Difficulty } from '../../models/difficulty.ts';
import { fenceAfter } from '../files/lines.ts';
import { didYouMean } from '../wording/closest.ts';

/** A piece of text, or a section: its first line or tag, what is in it, and what ends it. */
export type Part = string | Section;

export interface Section {
  /** Undefined: at every difficulty. */
  readonly shownAt: ReadonlySet<Difficulty> | undefined;
  readonly opening: string;
  readonly parts: readonly Part[];
  readonly closing: string;
}

/** Makes the error for a place in the text. */
export type FailAt = (offset: number, message: string) => Error;

export function parseSections(text: string, failAt: FailAt): readonly Part[] {
  return withHeadings(tagTree(text, failAt));
}

export function shownText(parts: readonly Part[], difficulty: Difficulty): string {
  return parts
    .map((part) => {
      if (typeof part === 'string') return part;
      if (part.shownAt?.has(difficulty) === false) return '';
      return `${part.opening}${shownText(part.parts, difficulty)}${part.closing}`;
    })
    .join('');
}

interface Line {
  readonly text: string;
  readonly offset: number;
  readonly isCode: boolean;
}

/** The lines, each with its end, and whether they are inside a code block. */
export function codeAwareLines(text: string): Line[] {
  const lines: Line[] = [];
  let offset = 0;
  let open: string | undefined;
  for (const line of text.split(/(?<=\n)/)) {
    const after = fenceAfter(line.replace(/\n$/, ''), open);
    lines.push({ text: line, offset, isCode: open !== undefined || after !== undefined });
    open = after;
    offset += line.length;
  }
  return lines;
}

interface Tag {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly shownAt: ReadonlySet<Difficulty> | undefined;
  readonly text: string;
}

interface Leaf {
  readonly text: string;
  readonly offset: number;
}

interface Element {
  readonly tag: Tag;
  readonly children: readonly (Leaf | Element)[];
  readonly closing: string;
}

const tagPattern = /<(\/?)([A-Za-z][\w.-]*)((?:\s+[\w:-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*>/g;

/** The tags that are opened and closed again; others are text. */
function tagTree(text: string, failAt: FailAt): (Leaf | Element)[] {
  const pairs = new Map<number, { readonly tag: Tag; readonly close: { start: number; end: number } }>();
  let open: Tag[] = [];
  for (const line of codeAwareLines(text)) {
    if (line.isCode) continue;
    for (const match of line.text.matchAll(tagPattern)) {
      const [whole, slash, name = '', attributes = ''] = match;
      const start = line.offset + match.index;
      const end = start + whole.length;
      if (slash === '') {
        open.push({ name, start, end, ...mark(whole, attributes, (message) => failAt(start, message)) });
        continue;
      }
      const index = open.findLastIndex((tag) => tag.name === name);
      if (index < 0) continue;
      refuseUnclosed(open.slice(index + 1), failAt);
      const tag = open[index] as Tag;
      pairs.set(tag.start, { tag, close: { start, end } });
      open = open.slice(0, index);
    }
  }
  refuseUnclosed(open, failAt);
  return elements(text, [...pairs.values()], 0, text.length);
}

function elements(
  text: string,
  pairs: readonly { readonly tag: Tag; readonly close: { readonly start: number; readonly end: number } }[],
  from: number,
  to: number,
): (Leaf | Element)[] {
  const found: (Leaf | Element)[] = [];
  let position = from;
  const inOrder = pairs
    .filter(({ tag, close }) => tag.start >= from && close.end <= to)
    .toSorted((a, b) => a.tag.start - b.tag.start);
  for (const { tag, close } of inOrder) {
    if (tag.start < position) continue;
    found.push({ text: text.slice(position, tag.start), offset: position });
    const inside = inOrder.filter((pair) => pair.tag.start > tag.start && pair.close.end <= close.start);
    // A section that has its lines to itself goes with the end of its last line.
    const hasOwnLines = /(^|\n)[ \t]*$/.test(text.slice(0, tag.start));
    const end = hasOwnLines && text[close.end] === '\n' ? close.end + 1 : close.end;
    found.push({
      tag,
      children: elements(text, inside, tag.end, close.start),
      closing: text.slice(close.start, end),
    });
    position = end;
  }
  found.push({ text: text.slice(position, to), offset: position });
  return found;
}

function refuseUnclosed(tags: readonly Tag[], failAt: FailAt): void {
  for (const tag of tags)
    if (tag.shownAt !== undefined) throw failAt(tag.start, `${tag.text} is not closed by </${tag.name}>.`);
}

/** The difficulties a tag names, and the tag without them. */
function mark(whole: string, attributes: string, fail: (message: string) => Error): Pick<Tag, 'shownAt' | 'text'> {
  const [attribute, , letters] = /\s+difficulty\s*=\s*(["'])(.*?)\1/i.exec(attributes) ?? [];
  if (attribute === undefined || letters === undefined) {
    const [, name = ''] = /\s([\w:-]+)\s*=/.exec(attributes) ?? [];
    const hint = name === '' ? '' : didYouMean(name, ['difficulty']);
    if (hint !== '') throw fail(`The tag ${whole} has no attribute '${name}'.${hint}`);
    return { shownAt: undefined, text: whole };
  }
  if (!/^[LMH]+$/.test(letters))
    throw fail(`difficulty="${letters}" must be letters of ${difficulties.join(', ')}, as in difficulty="MH".`);
  return { shownAt: new Set(letters as Iterable<Difficulty>), text: whole.replace(attribute, '') };
}

interface Heading {
  readonly rank: number;
  readonly shownAt: ReadonlySet<Difficulty> | undefined;
  readonly text: string;
}

/** A heading; `--- Title ---` and `*** Title ***` rank above `##`. */
function headingIn(line: string): Heading | undefined {
  const [, start, marks, , title] = /^((-{3,}|\*{3,}|#{2,6})(\s+))(\S.*)$/s.exec(line) ?? [];
  if (start === undefined || marks === undefined || title === undefined) return undefined;
  const isHash = marks.startsWith('#');
  if (!isHash && !(title.trimEnd().endsWith(marks.slice(0, 3)) && title.trim().length > 3)) return undefined;
  const [prefix, letters] = /^([LMH]{1,3}):\s*/.exec(title) ?? [];
  return {
    rank: isHash ? marks.length : 1,
    shownAt: letters === undefined ? undefined : new Set(letters as Iterable<Difficulty>),
    text: prefix === undefined ? line : `${start}${title.slice(prefix.length)}`,
  };
}

interface OpenSection {
  readonly heading: Heading;
  readonly parts: Part[];
}

/** Among siblings, a heading owns what follows it, up to the next of its own or a higher rank. */
function withHeadings(siblings: readonly (Leaf | Element)[]): Part[] {
  const top: Part[] = [];
  const open: OpenSection[] = [];
  const add = (part: Part): unknown => (open.at(-1)?.parts ?? top).push(part);
  const close = (rank: number): void => {
    while ((open.at(-1)?.heading.rank ?? 0) >= rank && open.length > 0) {
      const { heading, parts } = open.pop() as OpenSection;
      add({ shownAt: heading.shownAt, opening: heading.text, parts, closing: '' });
    }
  };
  for (const sibling of siblings) {
    if ('tag' in sibling) {
      const { tag, children, closing } = sibling;
      add({ shownAt: tag.shownAt, opening: tag.text, parts: withHeadings(children), closing });
      continue;
    }
    for (const line of codeAwareLines(sibling.text)) {
      const heading = line.isCode ? undefined : headingIn(line.text);
      if (heading === undefined) {
        add(line.text);
      } else {
        close(heading.rank);
        open.push({ heading, parts: [] });
      }
    }
  }
  close(0);
  return top;
}
