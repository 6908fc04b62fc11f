// Renders a terminal recording as an animated SVG that scrolls and repeats. Hand-written, because it needs little: coloured
// text, a clipped window and two CSS animations.

export interface RecordingOptions {
  readonly columns: number;
  readonly rows: number;
  readonly title: string;
}

interface Run {
  readonly text: string;
  readonly column: number;
  readonly style: string;
}

const styles: Readonly<Record<string, string>> = {
  '1': 'bold',
  '2': 'dim',
  '31': 'red',
  '32': 'green',
  '33': 'yellow',
  '34': 'blue',
  '35': 'magenta',
  '36': 'cyan',
};

const character = 8.4;
const lineHeight = 19;
const margin = 18;
const bar = 36;
const background = '#0f1726';
/** Seconds: between lines, before a chapter, at the end. */
const pace = { line: 0.09, chapter: 1.6, end: 6 };

/** Text with the colours a terminal shows, as runs of one style each. */
export function runsOf(line: string): readonly Run[] {
  const runs: Run[] = [];
  let column = 0;
  for (const [index, part] of line.split('\u001b[').entries()) {
    // After an escape comes the number of a style, then text.
    const [, code = '', behind = ''] = index === 0 ? ['', '', part] : (/^(\d+)m(.*)$/.exec(part) ?? []);
    if (behind.trim() !== '') runs.push({ text: behind, column, style: styles[code] ?? '' });
    column += behind.length;
  }
  return runs;
}

export function recordingOf(text: string, { columns, rows, title }: RecordingOptions): string {
  const lines = text.trimEnd().split('\n');
  const times = timesOf(lines);
  const total = (times.at(-1) ?? 0) + pace.end;
  const width = Math.round(columns * character + 2 * margin);
  const height = bar + rows * lineHeight + margin;
  const all = lines.length * lineHeight;
  const shown = lines.map((line, index) => {
    const spans = runsOf(line).map(spanOf).join('');
    return spans === '' ? '' : `<text y="${(index + 1) * lineHeight - 4}">${spans}</text>`;
  });
  const moved = (place: (index: number) => number): string =>
    times
      .map((time, index) => `${((100 * time) / total).toFixed(2)}%{transform:translateY(${place(index)}px)}`)
      .join('');
  // A cover that moves down hides later lines; without animation, the cover is below everything.
  const uncover = moved((index) => (index + 1) * lineHeight - all);
  const scroll = moved((index) => -Math.max(0, index + 1 - rows) * lineHeight);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">
<style>
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#d6deeb;white-space:pre}
.bold{font-weight:700;fill:#fff}.dim{fill:#8fa0b6}.red{fill:#ff6b6b}.green{fill:#7bd88f}.yellow{fill:#f5d76e}.blue{fill:#7aa2f7}.magenta{fill:#d3a4ff}.cyan{fill:#7fdbca}
.s{animation:s ${total.toFixed(2)}s step-end infinite}
.c{animation:c ${total.toFixed(2)}s step-end infinite}
@keyframes s{${scroll}}
@keyframes c{${uncover}}
@media (prefers-reduced-motion:reduce){.s,.c{animation:none}}
</style>
<rect width="${width}" height="${height}" rx="10" fill="${background}"/>
<circle cx="22" cy="18" r="6" fill="#ff6b6b"/><circle cx="42" cy="18" r="6" fill="#f5d76e"/><circle cx="62" cy="18" r="6" fill="#7bd88f"/>
<text x="${width / 2}" y="23" text-anchor="middle" class="dim">${escaped(title)}</text>
<svg x="${margin}" y="${bar}" width="${width - 2 * margin}" height="${rows * lineHeight + 6}"><g class="s">
${shown.filter(Boolean).join('\n')}
<rect class="c" y="${all}" width="100%" height="${all + 6}" fill="${background}"/>
</g></svg>
</svg>
`;
}

function timesOf(lines: readonly string[]): number[] {
  let time = -pace.line;
  return lines.map((line) => (time += line.includes('── ') && time > 0 ? pace.chapter : pace.line));
}

function spanOf({ text, column, style }: Run): string {
  const length = (text.length * character).toFixed(1);
  const of = style === '' ? '' : ` class="${style}"`;
  return `<tspan x="${(column * character).toFixed(1)}" textLength="${length}"${of}>${escaped(text)}</tspan>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
