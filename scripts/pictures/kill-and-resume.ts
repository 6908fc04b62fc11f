// A program whose process is killed, on a timeline.
import { arrow, box, dot, label, line, picture, text } from './canvas.ts';

const title =
  'A timeline: a program waits for a signal, its process is killed, days later another process loads its memory and goes on behind the await';

export function killAndResume(): string {
  const [first, second, store] = [78, 158, 262];
  return picture(800, 330, title, [
    text(24, 38, 'Killed, and resumed on the same line', 'title'),

    box(24, first - 26, 752, 52, 'panel'),
    text(40, first + 5, 'process 4711', 'small'),
    label(140, first - 17, 92, 34, 'slice 1', 'tint'),
    text(292, first + 5, 'await signal(…)', 'code middle'),
    line(
      [
        [352, first - 12],
        [376, first + 12],
      ],
      'bad thick',
    ),
    line(
      [
        [376, first - 12],
        [352, first + 12],
      ],
      'bad thick',
    ),
    text(390, first + 5, 'kill -9', 'bad strong'),

    box(24, second - 26, 752, 52, 'panel'),
    text(40, second + 5, 'process 8042', 'small'),
    label(548, second - 17, 72, 34, 'load'),
    label(630, second - 17, 92, 34, 'slice 2', 'tint'),

    box(24, store - 34, 752, 76, 'panel'),
    text(40, store + 5, 'the store', 'small'),
    line(
      [
        [150, store],
        [700, store],
      ],
      'accent thick',
    ),
    arrow(
      [
        [232, first + 17],
        [232, store - 9],
      ],
      'accent',
    ),
    dot(232, store),
    text(232, store + 28, 'memory, with the await in it', 'middle small'),
    text(400, store - 12, 'days', 'middle small'),
    arrow(
      [
        [500, 318],
        [500, store + 9],
      ],
      'accent',
    ),
    text(512, 316, 'somebody sends the signal', 'small'),
    dot(500, store),
    arrow([
      [500, store - 8],
      [500, second],
      [545, second],
    ]),
    arrow(
      [
        [722, second + 17],
        [722, 230],
        [700, 230],
        [700, store - 9],
      ],
      'accent',
    ),
    dot(700, store),
    text(700, store + 28, 'goes on from here', 'middle small'),
  ]);
}
