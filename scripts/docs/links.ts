// Links in Markdown: where they are, where they lead, and the anchors a page has, in the way code hosts make them.
import { posix } from 'node:path';

/** A link in a page, outside of code. */
export interface Link {
  readonly line: number;
  /** What stands in the parentheses. */
  readonly target: string;
}

const fence = /^\s*(`{3,}|~{3,})/;
// A link, or code, in which there are none. The label of a link may be code.
const linkOrCode = /(!?\[(?:[^\]\\]|\\.)*\])\(([^()\s]+(?:\([^()]*\))?)\)|`+[^`]*`+/g;

/** Calls `change` for each link outside of code, and returns the text with what it gives back. */
export function mapLinks(
  text: string,
  change: (whole: string, label: string, target: string, line: number) => string,
): string {
  // A label may go over the end of a line, so what is between two pieces of code is looked at as a whole.
  return outsideOfFences(text, (part, first) =>
    part.replaceAll(linkOrCode, (whole: string, label: string | undefined, target: string, offset: number) =>
      label === undefined ? whole : change(whole, label, target, first + part.slice(0, offset).split('\n').length - 1),
    ),
  );
}

export function linksIn(text: string): Link[] {
  const links: Link[] = [];
  mapLinks(text, (whole, _label, target, line) => {
    links.push({ line, target });
    return whole;
  });
  return links;
}

/** The anchors of a page's headings. */
export function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  outsideOfFences(text, (part) => {
    for (const [, heading = ''] of part.matchAll(/^#{1,6} +(.*)$/gm)) {
      const anchor = slug(heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1'));
      let unique = anchor;
      for (let number = 1; anchors.has(unique); number++) unique = `${anchor}-${number}`;
      anchors.add(unique);
    }
    return part;
  });
  return anchors;
}

/** As GitHub does it: lower case, no punctuation but `-` and `_`, spaces as `-`. */
export function slug(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
}

export function isExternal(target: string): boolean {
  return /^[a-z][a-z+.-]*:/i.test(target);
}

/** A link resolved against the page it is in: the path in the repository, and the anchor. */
export function resolveLink(page: string, target: string): { readonly path: string; readonly anchor: string } {
  const [path = '', anchor = ''] = target.split('#');
  return { path: path === '' ? page : posix.normalize(posix.join(posix.dirname(page), path)), anchor };
}

/** Calls `change` for each part of the text between fenced code, with the number of its first line. */
function outsideOfFences(text: string, change: (part: string, firstLine: number) => string): string {
  const result: string[] = [];
  let part: string[] = [];
  let open = '';
  const flush = (end: number): void => {
    if (part.length > 0) result.push(change(part.join('\n'), end - part.length));
    part = [];
  };
  for (const [index, line] of text.split('\n').entries()) {
    const mark = fence.exec(line)?.[1] ?? '';
    if (open === '' && mark === '') {
      part.push(line);
      continue;
    }
    flush(index + 1);
    result.push(line);
    if (open === '') open = mark;
    else if (mark.startsWith(open) && line.trim() === mark) open = '';
  }
  flush(text.split('\n').length + 1);
  return result.join('\n');
}
