// Files come from many editors.

/** The lines of a text, without byte order mark and whatever ends lines. */
export function linesOf(text: string): string[] {
  return text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
}

/** A role, as the name of a file: nothing that leads to another folder. */
export function isPlainName(name: string): boolean {
  return /^[\p{L}\p{N}_][\p{L}\p{N}_. -]*$/u.test(name) && !name.includes('..');
}

/** Whether a line opens or closes a code block, given the fence that is open; a fence is closed by one as long. */
export function fenceAfter(line: string, open: string | undefined): string | undefined {
  const [, fence, rest] = /^\s{0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
  if (fence === undefined || rest === undefined) return open;
  if (open === undefined) return fence.startsWith('`') && rest.includes('`') ? undefined : fence;
  return fence.startsWith(open) && rest.trim() === '' ? undefined : open;
}
