// Draws the stations of a walk: a column per layer, time from top to bottom, and a horizontal line per commit.
import { stations, type Station } from './stations.ts';

const layers = ['kit', 'agents', 'models', 'jobs', 'workspace'];
const columnWidth = 240;
const rowHeight = 46;
const top = 56;
const box = { width: columnWidth - 12, height: 34 };

const style = `
  text { font: 12px ui-sans-serif, system-ui, sans-serif; fill: #1f2328 }
  .layer { font-weight: 600; font-size: 13px; text-anchor: middle }
  .what { text-anchor: middle }
  .where { text-anchor: middle; font: 10px ui-monospace, monospace; fill: #59636e }
  .lane { fill: #f6f8fa }
  .box { fill: #ffffff; stroke: #8c959f; rx: 5 }
  .way { fill: none; stroke: #8c959f }
  .commit { stroke: #0969da; stroke-width: 2 }
  .committed { fill: #0969da; font-weight: 600; text-anchor: end }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .where { fill: #9198a1 } .lane { fill: #151b23 }
    .box { fill: #0d1117; stroke: #656c76 } .way { stroke: #656c76 }
    .commit { stroke: #4493f8 } .committed { fill: #4493f8 }
  }`;

export function drawn(walk: keyof typeof stations): string {
  const all = stations[walk];
  const columns = layers.filter((layer) => all.some((station) => 'file' in station && layerOf(station.file) === layer));
  const width = columns.length * columnWidth;
  const center = (layer: string): number => columns.indexOf(layer) * columnWidth + columnWidth / 2;
  const height = top + all.length * rowHeight + 10;
  const lanes = columns.map((layer, index) => {
    const x = index * columnWidth;
    return `<rect class="lane" x="${x + 3}" y="8" width="${columnWidth - 6}" height="${height - 16}" rx="6"/><text class="layer" x="${center(layer)}" y="32">${layer}/</text>`;
  });
  const boxes = all.map((station, index) =>
    'commit' in station ? line(station.commit, index, width) : place(station, index, center(layerOf(station.file))),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img">
<title>${walk === 'message' ? 'A message to an agent, until its result' : 'A signal to a waiting job, until its end'}</title>
<style>${style}</style>
${lanes.join('\n')}
${way(all, center)}
${boxes.join('\n')}
</svg>
`;
}

function place({ file, name, text }: Extract<Station, { file: string }>, index: number, x: number): string {
  const y = top + index * rowHeight;
  const short = `${file.split('/').at(-1) ?? ''} ${name}`;
  return `<rect class="box" x="${x - box.width / 2}" y="${y}" width="${box.width}" height="${box.height}"/><text class="what" x="${x}" y="${y + 14}">${escaped(text)}</text><text class="where" x="${x}" y="${y + 27}">${escaped(short)}</text>`;
}

function line(text: string, index: number, width: number): string {
  const y = top + index * rowHeight + box.height / 2;
  return `<line class="commit" x1="6" x2="${width - 6}" y1="${y}" y2="${y}"/><text class="committed" x="${width - 12}" y="${y - 5}">commit: ${escaped(text)}</text>`;
}

/** From each station to the next one. */
function way(all: readonly Station[], center: (layer: string) => number): string {
  const points = all.flatMap((station, index) =>
    'commit' in station ? [] : [`${center(layerOf(station.file))},${top + index * rowHeight + box.height / 2}`],
  );
  return `<polyline class="way" points="${points.join(' ')}"/>`;
}

function layerOf(file: string): string {
  return file.split('/')[0] ?? '';
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
