// Prose around code as comments of it, so that a step's source says why it was written.

export function commented(text: string, comment: string): string {
  return text
    .split('\n')
    .map((line) => (line.trim() === '' ? comment : `${comment} ${line.trimEnd()}`))
    .join('\n');
}

/** Moves the numbers of a code frame up by so many lines; lines before the first are left out. */
export function movedFrame(frame: string, by: number): string {
  const kept: string[] = [];
  for (const line of frame.split('\n')) {
    const [, marker = '', digits = '', rest = ''] = /^([> ]) (\s*\d+) \|(.*)$/s.exec(line) ?? [];
    if (digits === '') kept.push(line);
    else if (Number(digits) > by)
      kept.push(`${marker} ${String(Number(digits) - by).padStart(digits.length)} |${rest}`);
  }
  return kept.join('\n');
}
