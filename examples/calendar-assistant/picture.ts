// The timeline as a picture: a lane for each agent, time going down, commits by the beginning of their hash.
import { paint } from './terminal.ts';
import type { Moment } from './timeline.ts';

const marks: Readonly<Record<Moment['kind'], readonly [mark: string, colour: Parameters<typeof paint>[0]]>> = {
  message: ['○', 'cyan'],
  turn: ['◆', 'magenta'],
  commit: ['●', 'blue'],
  call: ['↗', 'yellow'],
  decision: ['✔', 'green'],
  said: ['○', 'cyan'],
  process: ['▶', 'green'],
  killed: ['✖', 'red'],
  'taken over': ['▶', 'green'],
};

export function picture(timeline: readonly Moment[], lanes: readonly string[], width = 96): string {
  const begun = new Set<string>();
  const rows = timeline.map(({ at, lane, kind, text, commit }) => {
    if (lane !== undefined) begun.add(lane);
    const [mark, colour] = marks[kind];
    const column = (name: string): string =>
      name === lane ? paint(colour, mark) : paint('dim', begun.has(name) ? '│' : ' ');
    const isProcess = lane === undefined;
    const line = isProcess
      ? paint(colour, `${mark}${'─'.repeat(4 * lanes.length - 4)}`)
      : lanes.map(column).join('   ');
    const hash = commit === undefined ? '' : commit.slice(0, 7);
    const room = width - 30 - 4 * lanes.length;
    const short = text.length > room ? `${text.slice(0, room - 1)}…` : text;
    const shown = isProcess ? paint(colour, short) : short;
    return `  ${paint('dim', `${(at / 1000).toFixed(2).padStart(6)} s`)}   ${line}   ${paint('blue', hash.padEnd(7))}  ${shown}`;
  });
  const heads = lanes.map((name, index) => `${' '.repeat(13)}${'│   '.repeat(index)}┌ ${name}`);
  return [...heads.map((head) => paint('dim', head)), ...rows].join('\n');
}
