// Before something is decided on a terminal: shows what it is about, whole, and asks back. Scripts are not asked.
import { createInterface } from 'node:readline';
import type { Statek } from '../../kit/statek.ts';
import { jobRows } from '../../jobs/rows.ts';
import { subjectOf } from '../../workspace/futures/future-subject.ts';
import { futureRows, parseFutureId, questionOf } from '../../workspace/rows.ts';
import type { CommandOption, Given } from '../line/command.ts';
import { exitCodes } from '../line/exit-codes.ts';
import { harmless } from '../output/style.ts';
import { jsonValue } from '../output/values.ts';
import type { Session } from '../session.ts';

export const yes: CommandOption = {
  flags: '-y, --yes',
  description: 'do not ask back; without a terminal nobody is asked',
};

type Fact = readonly [name: string, value: string | undefined];

/** Whether the person at the terminal wants it, having seen what it is about. True where there is no terminal, or with --yes. */
export async function isConfirmed(
  session: Session,
  given: Given,
  id: string,
  { question, more = [] }: { readonly question: string; readonly more?: readonly Fact[] },
): Promise<boolean> {
  const { out, input } = session;
  if (given.flag('yes') || out.isJson || !out.isTerminal || input?.isTTY !== true) return true;
  const about = await factsOf(await session.kit('look'), id);
  // What is not there, or over, is refused by the decision itself, which says why.
  if (about === undefined) return true;
  for (const line of out.factLines([...about, ...more])) out.note(line);
  out.prompt(`${question} [y/N] `);
  const answer = await session.unlessInterrupted(nextLine(input));
  return /^\s*y(?:es)?\s*$/i.test(answer ?? '');
}

/** How a command ends that somebody did not want after all. */
export function left(session: Session): number {
  session.out.note('Nothing was decided.');
  return exitCodes.refused;
}

async function factsOf({ store }: Statek, id: string): Promise<readonly Fact[] | undefined> {
  const reference = parseFutureId(id);
  const [entry] =
    reference === undefined ? [] : await store.read(futureRows, [[reference.workspace, reference.number]]);
  if (entry === undefined || entry.value.outcome !== undefined) return undefined;
  const { workspace, label, kind } = entry.value;
  const question = questionOf(entry.value);
  const [job] = await store.read(jobRows, [[workspace]]);
  const subject = await subjectOf(store, entry.value);
  const isWhole = subject.arguments !== undefined || subject.details !== undefined;
  return [
    [job === undefined ? 'workspace' : 'job', harmless(workspace)],
    ['role', job === undefined ? undefined : harmless(job.value.role)],
    ['call', kind === 'call' ? harmless(label.replace('(…)', '')) : undefined],
    ['arguments', subject.arguments === undefined ? undefined : pretty(subject.arguments)],
    ['question', question === undefined ? undefined : harmless(question)],
    ['details', subject.details === undefined ? undefined : pretty(subject.details)],
    // What is too large to be shown whole is shown as far as it goes, with its size.
    ['in short', isWhole || subject.characters === undefined ? undefined : harmless(subject.text)],
  ];
}

function pretty(value: unknown): string {
  return harmless(JSON.stringify(jsonValue(value), null, 2));
}

/** What is typed next; undefined if the input ends before. */
function nextLine(input: NodeJS.ReadableStream): Promise<string | undefined> {
  const reader = createInterface({ input, terminal: false });
  return new Promise<string | undefined>((resolve) => {
    reader.once('line', resolve);
    reader.once('close', () => resolve(undefined));
  }).finally(() => reader.close());
}
