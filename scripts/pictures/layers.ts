// The layers of the source; a layer knows only those below it.
import { arrow, box, picture, text } from './canvas.ts';

const title =
  'The layers, from the command line at the top to the base of all errors at the bottom; each imports only from those below it';

const layers: readonly (readonly [string, string])[] = [
  ['cli/', 'the statek command'],
  ['server/', 'HTTP, events, chats, MCP, the inspector’s files'],
  ['kit/', 'everything put together: Statek.open'],
  ['state/', 'the state managers'],
  ['agents/', 'prompts, tools, chat styles, tasks'],
  ['models/', 'providers, retries, costs'],
  ['jobs/', 'states, queues, workers, calls'],
  ['workspace/', 'engines, handles, slices, futures'],
  ['objects/', 'durable classes, transactions'],
  ['history/', 'images, commits, forks'],
  ['store/', 'collections, commits, leases; SQLite, PostgreSQL, Redis'],
  ['base/', 'errors, clock, options'],
];
const heart = new Set(['workspace/']);

export function layersPicture(): string {
  const height = 34;
  return picture(800, 72 + layers.length * (height + 6) + 14, title, [
    text(24, 38, 'Layers', 'title'),
    arrow(
      [
        [52, 70],
        [52, 60 + layers.length * (height + 6)],
      ],
      'accent',
    ),
    `<g transform="translate(40 ${60 + (layers.length * (height + 6)) / 2}) rotate(-90)">${text(0, 0, 'imports', 'middle small accent')}</g>`,
    ...layers.flatMap(([name, what], index) => {
      const y = 62 + index * (height + 6);
      return [
        box(80, y, 696, height, heart.has(name) ? 'tint' : 'box'),
        text(98, y + 22, name, 'code strong'),
        text(214, y + 22, what),
        ...(heart.has(name) ? [text(758, y + 22, 'the slice lives here', 'small end accent')] : []),
      ];
    }),
  ]);
}
