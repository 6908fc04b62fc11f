// Links in Markdown: where they are, where they lead, and the anchors a page has, in the way code hosts make them.
import { posix } from 'node:path';

/** A link in a page, outside of code. */
export interface Link {
  readonly line: number;
  /** What stands in the parentheses. */
  readonly target: string;
}

const fence = /^\s*(`{3,}|~{3,})/;
const inlineLink = /(!?\[(?:[^\]\\]|\\.)*\])\(([^()\s]+(?:\([^()]*\))?)\)/g;

/** Calls `change` for each link outside of code, and returns the text with what it gives back. */
export function mapLinks(
  text: string,
  change: (whole: string, label: string, target: string, line: number) => string,
): string {
  return outsideOfFences(text, (line, number) =>
    line.replaceAll(inlineLink, (whole, label: string, target: string) => change(whole, label, target, number)),
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
  outsideOfFences(text, (line) => {
    const heading = /^#{1,6} +(.*)$/.exec(line)?.[1];
    if (heading !== undefined) {
      const anchor = slug(heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1'));
      let unique = anchor;
      for (let number = 1; anchors.has(unique); number++) unique = `${anchor}-${number}`;
      anchors.add(unique);
    }
    return line;
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

function outsideOfFences(text: string, change: (line: string, number: number) => string): string {
  let open = '';
  return text
    .split('\n')
    .map((line, index) => {
      const mark = fence.exec(line)?.[1] ?? '';
      if (open === '' && mark !== '') {
        open = mark;
        return line;
      }
      if (open !== '') {
        if (mark.startsWith(open) && line.trim() === mark) open = '';
        return line;
      }
      return change(line, index + 1);
    })
    .join('\n');
}
