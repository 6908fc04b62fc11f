// The slice as a transaction: run, commit, release.
import { arrow, box, curve, label, lines, picture, text } from './canvas.ts';

const title =
  'A slice: an input arrives, the program runs until it waits, everything it did is committed in one write, and only then do its calls leave';

export function slice(): string {
  return picture(800, 330, title, [
    text(24, 38, 'One slice', 'title'),
    box(24, 112, 126, 96),
    text(87, 138, 'an input', 'middle strong'),
    lines(87, 160, ['a reply, an answer,', 'a result, a time'], 'middle small'),
    arrow([
      [150, 160],
      [186, 160],
    ]),

    box(190, 62, 284, 196, 'tint'),
    text(332, 88, 'the program runs until it waits', 'middle strong'),
    label(208, 106, 118, 34, 'variables'),
    label(338, 106, 118, 34, 'console'),
    label(208, 150, 118, 34, 'your objects'),
    label(338, 150, 118, 34, 'asks for calls'),
    lines(332, 212, ['on one thread, in a memory of its own;', 'nothing is stored, nothing leaves'], 'middle small'),
    arrow(
      [
        [474, 160],
        [518, 160],
      ],
      'accent thick',
    ),

    box(522, 52, 46, 216, 'solid'),
    `<g transform="translate(550 160) rotate(-90)">${text(0, 0, 'commit: one write', 'middle strong on')}</g>`,
    arrow([
      [568, 160],
      [606, 160],
    ]),

    box(610, 92, 166, 136),
    text(693, 118, 'only then', 'middle strong'),
    lines(693, 144, ['calls are made', 'messages are sent', 'children start', 'whoever waits is told'], 'middle'),

    curve('M 332,258 C 332,300 260,308 160,308 S 87,270 87,214', [87, 212], -90, 'bad dashed'),
    text(346, 298, 'a conflict, a limit, a process that dies: dropped, as if it never began', 'small bad'),
  ]);
}
