// The sections of a prompt's text, as a tree: what is shown at a difficulty is a walk through it.
import { difficulties, type Difficulty } from '../../models/door.ts';
import { fenceAfter } from '../files/lines.ts';
import { didYouMean } from '../../base/closest.ts';

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
  const pairs: Pair[] = [];
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
      pairs.push({ tag, close: { start, end } });
      open = open.slice(0, index);
    }
  }
  refuseUnclosed(open, failAt);
  return elements(text, pairs);
}

interface Pair {
  readonly tag: Tag;
  readonly close: { readonly start: number; readonly end: number };
}

interface OpenElement {
  readonly pair: Pair | undefined;
  readonly children: (Leaf | Element)[];
  /** How far the text is taken. */
  position: number;
}

/** The tags in the order in which they open, each with what lies inside. */
function elements(text: string, pairs: readonly Pair[]): (Leaf | Element)[] {
  const root: OpenElement = { pair: undefined, children: [], position: 0 };
  const stack = [root];
  const take = (from: OpenElement, to: number): unknown =>
    from.children.push({ text: text.slice(from.position, to), offset: from.position });
  const closeUntil = (start: number): void => {
    for (let top = stack.at(-1); top?.pair !== undefined && top.pair.close.end <= start; top = stack.at(-1)) {
      const { tag, close } = top.pair;
      take(top, close.start);
      stack.pop();
      const outer = stack.at(-1) as OpenElement;
      // A section that has its lines to itself goes with the end of its last line.
      const hasOwnLines = text.slice(text.lastIndexOf('\n', tag.start - 1) + 1, tag.start).trim() === '';
      outer.position = hasOwnLines && text[close.end] === '\n' ? close.end + 1 : close.end;
      outer.children.push({ tag, children: top.children, closing: text.slice(close.start, outer.position) });
    }
  };
  for (const pair of pairs.toSorted((a, b) => a.tag.start - b.tag.start)) {
    closeUntil(pair.tag.start);
    take(stack.at(-1) as OpenElement, pair.tag.start);
    stack.push({ pair, children: [], position: pair.tag.end });
  }
  closeUntil(text.length);
  take(root, text.length);
  return root.children;
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
