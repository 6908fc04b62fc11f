// The states of a job, and the ways between them that people meet.
import { arrow, box, label, lines, picture, text } from './canvas.ts';

const title =
  'The states of a job: READY, WARMING_UP, STARTED, SUSPENDED and DONE with an outcome; a message or resume starts a job that is done again';

export function jobStates(): string {
  const y = 178;
  return picture(800, 360, title, [
    text(24, 38, 'The states of a job', 'title'),
    arrow([
      [24, y],
      [76, y],
    ]),
    text(24, y - 12, 'submit', 'small'),
    label(80, y - 25, 108, 50, 'READY', 'box', 'code strong'),
    arrow([
      [188, y],
      [336, y],
    ]),

    label(198, 84, 124, 40, 'WARMING_UP', 'box', 'code'),
    arrow(
      [
        [134, y - 25],
        [134, 104],
        [195, 104],
      ],
      'dashed',
    ),
    arrow(
      [
        [322, 104],
        [366, 104],
        [366, y - 29],
      ],
      'dashed',
    ),
    text(260, 144, 'if it has a warmup', 'small middle'),

    box(340, y - 25, 116, 50, 'tint'),
    text(398, y - 2, 'STARTED', 'middle code strong'),
    text(398, y + 15, 'a worker has it', 'middle small'),

    arrow([
      [374, y + 25],
      [374, 271],
    ]),
    arrow(
      [
        [422, 275],
        [422, y + 29],
      ],
      'accent',
    ),
    label(340, 275, 116, 50, 'SUSPENDED', 'box', 'code strong'),
    lines(
      326,
      296,
      ['waits for a call, a time, a signal, a person,', 'another job; it is a row, and no process has it'],
      'small end',
      17,
    ),
    text(434, 262, 'what it waits for has come', 'small accent'),

    arrow([
      [456, y],
      [576, y],
    ]),
    text(514, y - 10, 'exit, an error,', 'small middle'),
    text(514, y + 20, 'a limit, cancel', 'small middle'),
    box(580, y - 50, 196, 112),
    text(678, y - 24, 'DONE', 'code strong middle'),
    lines(600, y, ['completed', 'failed'], '', 22),
    lines(692, y, ['cancelled', 'limit'], '', 22),
    text(678, y + 48, 'once, with one outcome', 'small middle'),
    arrow(
      [
        [678, y - 50],
        [678, 78],
        [422, 78],
        [422, y - 29],
      ],
      'accent dashed',
    ),
    text(550, 68, 'a message or resume() starts it again', 'small middle accent'),
  ]);
}
