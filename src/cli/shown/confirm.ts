// Asks for confirmation on a terminal, after showing in full what is being decided. Scripts are not asked.
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
  description: 'do not ask for confirmation (never asked without a terminal)',
};

type Fact = readonly [name: string, value: string | undefined];

/** True if the user confirms, if there is no terminal, or with --yes. */
export async function isConfirmed(
  session: Session,
  given: Given,
  id: string,
  { question, more = [] }: { readonly question: string; readonly more?: readonly Fact[] },
): Promise<boolean> {
  const { out, input } = session;
  if (given.flag('yes') || out.isJson || !out.isTerminal || input?.isTTY !== true) return true;
  const subject = await factsOf(await session.kit('look'), id);
  // The command itself reports a future that does not exist or is already settled.
  if (subject === undefined) return true;
  for (const line of out.factLines([...subject, ...more])) out.note(line);
  out.prompt(`${question} [y/N] `);
  const answer = await session.unlessInterrupted(nextLine(input));
  return /^\s*y(?:es)?\s*$/i.test(answer ?? '');
}

/** Ends a command that the user did not confirm. */
export function declined(session: Session): number {
  session.out.note('Nothing was changed.');
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
  const isComplete = subject.arguments !== undefined || subject.details !== undefined;
  return [
    [job === undefined ? 'workspace' : 'job', harmless(workspace)],
    ['role', job === undefined ? undefined : harmless(job.value.role)],
    ['call', kind === 'call' ? harmless(label.replace('(…)', '')) : undefined],
    ['arguments', subject.arguments === undefined ? undefined : pretty(subject.arguments)],
    ['question', question === undefined ? undefined : harmless(question)],
    ['details', subject.details === undefined ? undefined : pretty(subject.details)],
    // Values too large to show in full are abbreviated, with their size.
    ['summary', isComplete || subject.characters === undefined ? undefined : harmless(subject.text)],
  ];
}

function pretty(value: unknown): string {
  return harmless(JSON.stringify(jsonValue(value), null, 2));
}

/** The next typed line; undefined at the end of the input. */
function nextLine(input: NodeJS.ReadableStream): Promise<string | undefined> {
  const reader = createInterface({ input, terminal: false });
  return new Promise<string | undefined>((resolve) => {
    reader.once('line', resolve);
    reader.once('close', () => resolve(undefined));
  }).finally(() => reader.close());
}
