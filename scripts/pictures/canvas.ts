// What the pictures of the documentation are drawn with: one type scale, one accent colour, light and dark in one file.

const style = `
  text { font: 13px ui-sans-serif, system-ui, "Segoe UI", sans-serif; fill: #1f2328 }
  .title { font-size: 15px; font-weight: 600 }
  .strong { font-weight: 600 }
  .small { font-size: 11.5px; fill: #59636e }
  .code { font: 12px ui-monospace, "SF Mono", Menlo, Consolas, monospace }
  .accent { fill: #0969da }
  .on { fill: #ffffff }
  .bad { fill: #b35900 }
  .middle { text-anchor: middle }
  .end { text-anchor: end }
  .paper { fill: #ffffff }
  .panel { fill: #f6f8fa; stroke: none }
  .box { fill: #ffffff; stroke: #c4ccd4 }
  .tint { fill: #e7f1fd; stroke: #8fbdf2 }
  .solid { fill: #0969da; stroke: none }
  .line { fill: none; stroke: #8c959f; stroke-width: 1.4 }
  .line.accent { fill: none; stroke: #0969da }
  .line.bad { fill: none; stroke: #b35900 }
  .thick { stroke-width: 2.4 }
  .dashed { stroke-dasharray: 4 4 }
  .dot { fill: #0969da; stroke: #ffffff; stroke-width: 2 }
  .head { fill: #8c959f } .head.accent { fill: #0969da } .head.bad { fill: #b35900 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .small { fill: #9198a1 } .accent { fill: #4493f8 } .on { fill: #0d1117 } .bad { fill: #db8b3a }
    .paper { fill: #0d1117 } .panel { fill: #151b23 } .box { fill: #0d1117; stroke: #3d444d } .tint { fill: #10233f; stroke: #2f5f9e } .solid { fill: #4493f8 }
    .line { stroke: #656c76 } .line.accent { stroke: #4493f8 } .line.bad { stroke: #db8b3a }
    .dot { fill: #4493f8; stroke: #0d1117 } .head { fill: #656c76 } .head.accent { fill: #4493f8 } .head.bad { fill: #db8b3a }
  }`;

/** The words of a class attribute: a size, a colour, an alignment. */
type Look = string;

/** A whole picture. The title is what people hear who do not see it. */
export function picture(width: number, height: number, title: string, parts: readonly string[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" role="img">
<title>${escaped(title)}</title>
<style>${style}</style>
<rect class="paper" width="${width}" height="${height}" rx="10"/>
${parts.join('\n')}
</svg>
`;
}

export function text(x: number, y: number, words: string, look: Look = ''): string {
  return `<text x="${x}" y="${y}"${look === '' ? '' : ` class="${look}"`}>${escaped(words)}</text>`;
}

/** Lines of text below each other. */
export function lines(x: number, y: number, all: readonly string[], look: Look = '', step = 18): string {
  return all.map((words, index) => text(x, y + index * step, words, look)).join('');
}

export function box(x: number, y: number, width: number, height: number, look: Look = 'box', radius = 8): string {
  return `<rect class="${look}" x="${x}" y="${y}" width="${width}" height="${height}" rx="${radius}"/>`;
}

/** A box with words in its middle. */
export function label(
  x: number,
  y: number,
  width: number,
  height: number,
  words: string,
  look: Look = 'box',
  type: Look = '',
): string {
  return box(x, y, width, height, look) + text(x + width / 2, y + height / 2 + 4.5, words, `middle ${type}`.trim());
}

export function line(points: readonly (readonly [number, number])[], look: Look = ''): string {
  return `<polyline class="${`line ${look}`.trim()}" points="${points.map((point) => point.join(',')).join(' ')}"/>`;
}

/** A line with a head at its end. */
export function arrow(points: readonly (readonly [number, number])[], look: Look = ''): string {
  const [tip, before] = [points.at(-1) ?? [0, 0], points.at(-2) ?? [0, 0]];
  const angle = (Math.atan2(tip[1] - before[1], tip[0] - before[0]) * 180) / Math.PI;
  const colour = look.includes('accent') ? ' accent' : look.includes('bad') ? ' bad' : '';
  return `${line(points, look)}<path class="head${colour}" transform="translate(${tip.join(',')}) rotate(${Math.round(angle * 10) / 10})" d="M1,0 L-8,-4.5 L-8,4.5 Z"/>`;
}

/** A curve by its path, with a head that points along `angle`. */
export function curve(path: string, end: readonly [number, number], angle: number, look: Look = ''): string {
  const colour = look.includes('accent') ? ' accent' : look.includes('bad') ? ' bad' : '';
  return `<path class="${`line ${look}`.trim()}" d="${path}"/><path class="head${colour}" transform="translate(${end.join(',')}) rotate(${angle})" d="M1,0 L-8,-4.5 L-8,4.5 Z"/>`;
}

export function dot(x: number, y: number): string {
  return `<circle class="dot" cx="${x}" cy="${y}" r="6"/>`;
}

function escaped(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
