// `statek watch -e`: the value of an expression in the course of time, as a table and a line.
import type { Statek } from '../../../kit/statek.ts';
import type { Given } from '../../line/command.ts';
import { UsageError } from '../../line/errors.ts';
import type { Session } from '../../session.ts';
import { timeText } from '../../shown/describe.ts';
import { findWorkspace } from '../../shown/identify.ts';
import { harmless, oneLine } from '../../output/style.ts';
import { jsonValue, shownValue } from '../../output/values.ts';

const blocks = '▁▂▃▄▅▆▇█';

export async function watchExpression(session: Session, kit: Statek, given: Given, code: string): Promise<void> {
  const { out } = session;
  if (!given.has('job')) throw new UsageError("watch -e needs a job or workspace, as in statek watch main -e 'total'.");
  const workspace = await findWorkspace(kit, given.text('job'));
  const { values, isSampled } = await workspace.watch(code, {
    from: given.number('from'),
    to: given.number('to'),
    limit: Math.min(given.number('limit') ?? 100, 1000),
    signal: session.signal,
  });
  if (out.isJson) {
    out.json({ values: values.map(({ value, ...rest }) => ({ ...rest, value: jsonValue(value) })), isSampled });
    return;
  }
  out.table(values, [
    { title: 'COMMIT', text: ({ hash }) => hash.slice(0, 12), style: (text) => out.style.yellow(text) },
    { title: '#', text: ({ sequence }) => String(sequence), right: true },
    { title: 'TIME', text: ({ time }) => timeText(time) },
    { title: 'VALUE', text: ({ value, error }) => oneLine(harmless(error ?? shownValue(value))), minWidth: 10 },
  ]);
  const line = sparkline(values.map(({ value }) => value));
  if (line !== undefined) out.line(line);
  if (isSampled) out.note('Only some of the commits: narrow them with --from and --to, or raise --limit.');
}

/** Numbers as a line of blocks; commits without one leave a gap. Undefined if there are fewer than two numbers. */
export function sparkline(values: readonly unknown[]): string | undefined {
  const numbers = values.filter((value): value is number => typeof value === 'number' && Number.isFinite(value));
  if (numbers.length < 2) return undefined;
  const low = numbers.reduce((a, b) => Math.min(a, b));
  const range = numbers.reduce((a, b) => Math.max(a, b)) - low || 1;
  return values
    .map((value) =>
      typeof value === 'number' && Number.isFinite(value)
        ? blocks[Math.round(((value - low) / range) * (blocks.length - 1))]
        : ' ',
    )
    .join('');
}
