// From one file to a cluster, with the same program.
import { box, label, line, lines, picture, text } from './canvas.ts';

const title =
  'The same program in one process on a folder, in several processes on one machine, and on many machines with PostgreSQL';

export function scale(): string {
  const panel = (x: number, name: string, how: string): string[] => [
    box(x, 60, 240, 240, 'panel'),
    text(x + 20, 90, name, 'strong'),
    text(x + 20, 110, how, 'code small'),
  ];
  const process = (x: number, y: number, width = 62): string => label(x, y, width, 34, 'process', 'tint', 'small');
  const folder = (x: number, words: string): string => label(x, 232, 140, 40, words, 'box', 'code');
  return picture(800, 330, title, [
    text(24, 38, 'From one file to a cluster: only the store changes', 'title'),

    ...panel(24, 'a script', "store: './data'"),
    process(104, 150, 80),
    line([
      [144, 184],
      [144, 232],
    ]),
    folder(74, './data'),
    lines(144, 290, ['no server, no service'], 'middle small'),

    ...panel(280, 'one machine', 'statek worker --processes 4'),
    ...[0, 1, 2].map((index) => process(296 + index * 72, 150)),
    ...[0, 1, 2].map((index) =>
      line([
        [327 + index * 72, 184],
        [370 + index * 15, 232],
      ]),
    ),
    folder(330, './data'),
    lines(400, 290, ['all cores; any of them may die'], 'middle small'),

    ...panel(536, 'many machines', "store: 'postgres://…'"),
    ...[0, 1, 2].map((index) => box(548 + index * 74, 128, 68, 76)),
    ...[0, 1, 2].map((index) => label(553 + index * 74, 134, 58, 30, 'process', 'tint', 'small')),
    ...[0, 1, 2].map((index) => label(553 + index * 74, 168, 58, 30, 'process', 'tint', 'small')),
    ...[0, 1, 2].map((index) =>
      line([
        [582 + index * 74, 204],
        [626 + index * 30, 232],
      ]),
    ),
    folder(586, 'PostgreSQL'),
    lines(656, 290, ['others take over in a second'], 'middle small'),
  ]);
}
