// What a commit holds, and how commits hang together.
import { arrow, box, dot, line, picture, text } from './canvas.ts';

const title =
  'A commit holds the memory of the program, its console, what it waits for, the objects it changed, the conversation and the job, in one atomic write; it names its parent, and a fork starts at any commit';

const rows: readonly (readonly [string, string])[] = [
  ['memory', 'what changed since the parent: variables, closures, awaits'],
  ['console', 'the lines this slice printed'],
  ['futures', 'what the program waits for now, and what has settled'],
  ['objects', 'durable objects it changed, if nothing it read has changed'],
  ['conversation', 'what was said, and what was shown to the model'],
  ['job', 'its state, its journal of calls, its events'],
];

export function commit(): string {
  const x = 252;
  return picture(800, 356, title, [
    text(24, 38, 'What a commit holds', 'title'),

    line(
      [
        [104, 92],
        [104, 290],
      ],
      'accent thick',
    ),
    arrow([
      [112, 224],
      [x - 6, 224],
    ]),
    arrow(
      [
        [104, 158],
        [152, 158],
        [152, 186],
      ],
      'accent dashed',
    ),
    ...[92, 158, 224, 290].map((y) => dot(104, y)),
    text(88, 97, 'created', 'small end'),
    text(88, 163, 'step 1', 'small end'),
    text(88, 229, 'resumed', 'small end strong'),
    text(88, 295, 'resumed', 'small end'),
    text(162, 180, 'a fork', 'small accent'),

    box(x, 60, 524, 272, 'tint'),
    text(x + 20, 88, 'commit 4f9c2e…', 'code strong'),
    text(x + 504, 88, 'parent a81d07…', 'code end'),
    ...rows.flatMap(([name, what], index) => {
      const y = 102 + index * 34;
      return [box(x + 16, y, 492, 28), text(x + 30, y + 19, name, 'strong'), text(x + 136, y + 19, what, 'small')];
    }),
    text(x + 262, 322, 'one atomic write; the hash binds the memory, byte by byte', 'middle small accent'),
  ]);
}
