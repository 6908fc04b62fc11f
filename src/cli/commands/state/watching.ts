// What the commands about state share: events until they end, ^C, or as many as wanted.
import type { CommandOption, Given } from '../../line/command.ts';
import { wholeNumber } from '../../line/parse.ts';
import type { Session } from '../../session.ts';

export const watchOptions: readonly CommandOption[] = [
  { flags: '-w, --watch', description: 'print what happens, until ^C' },
  {
    flags: '-n, --limit <number>',
    description: 'at most so many of each list (default: 20); with --watch of one, exit after so many events',
    parse: wholeNumber(1, 1000),
  },
];

/** Prints each event: as JSON, or as the line that `lineOf` makes of it. */
export async function printEvents<Event>(
  session: Session,
  given: Given,
  events: AsyncIterable<Event>,
  lineOf: (event: Event) => string,
): Promise<void> {
  const { out } = session;
  const iterator = events[Symbol.asyncIterator]();
  let left = given.number('limit') ?? Number.POSITIVE_INFINITY;
  while (left-- > 0) {
    const next = await session.unlessInterrupted(iterator.next());
    if (next.done === true) return;
    if (out.isJson) out.jsonLine(next.value);
    else out.line(lineOf(next.value));
  }
}
