// Jobs, steps and waits, as records for JSON and as text for people.
import type { Job } from '../../agents/job.ts';
import type { JobError } from '../../jobs/rows.ts';
import type { CodePlace, StepError } from '../../workspace/rows.ts';
import type { Step, WaitingFuture } from '../../workspace/step.ts';
import { harmless, oneLine, type Style } from '../output/style.ts';
import type { Output } from '../output/output.ts';
import { relative } from '../output/time.ts';
import { shownValue } from '../output/values.ts';
import type { Pending } from './pending.ts';

export function jobRecord(job: Job): Record<string, unknown> {
  const { id, role, status, outcome, paused, parent, labels, priority, version, schedule } = job;
  const { created, updated, error } = job;
  return { id, role, status, outcome, paused, parent, labels, priority, version, schedule, created, updated, error };
}

export function statusText({ status, outcome, paused }: Job): string {
  return [status, outcome, paused ? 'paused' : undefined].filter(Boolean).join(' ');
}

/** The version of the code a job needs, for people. */
export function versionText({ version }: Job): string | undefined {
  if (version === undefined) return undefined;
  const { started, needs, pinned, restarts } = version;
  const needed = pinned
    ? `needs exactly ${needs ?? ''}`
    : needs === started
      ? undefined
      : `needs ${needs ?? ''} or later`;
  return [started && `began under ${started}`, needed, restarts === 0 ? undefined : `started again ${restarts} times`]
    .filter(Boolean)
    .join(', ');
}

export function statusStyle(style: Style): (text: string) => string {
  return (text) => {
    if (/completed/.test(text)) return style.green(text);
    if (/failed|limit/.test(text)) return style.red(text);
    if (/SUSPENDED|paused/.test(text)) return style.yellow(text);
    return /STARTED|WARMING/.test(text) ? style.cyan(text) : text;
  };
}

/** Shortens random ids on a terminal, where people retype them. */
export function shownId(id: string, out: Output): string {
  const isRandom = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(id);
  return harmless(out.isTerminal && isRandom ? id.slice(0, 8) : id);
}

export function errorText(error: StepError | JobError): string {
  const place =
    error.line === undefined
      ? ''
      : ` (line ${error.line}${error.column === undefined ? '' : `, column ${error.column}`})`;
  const frame = error.frame === undefined || error.frame === '' ? '' : `\n${error.frame}`;
  return harmless(`${error.name}: ${error.message}${place}${frame}`);
}

export function stepRecord({ number, status, value, console, error, commit, waiting }: Step): Record<string, unknown> {
  return { step: number, status, value, console, error, commit, waiting };
}

/** Prints a step: its console and value on standard output, its error on standard error. */
export function printStep(out: Output, step: Step, alreadyPrinted = 0): void {
  out.lines(step.console.slice(alreadyPrinted).map(harmless));
  if (step.status === 'failed' && step.error !== undefined) out.note(out.noteStyle.red(errorText(step.error)));
  if (step.status === 'done' && step.value !== undefined) out.line(shownValue(step.value, 20_000));
}

/** Short sleeps are not worth printing. */
export function isWorthPrinting({ due }: { readonly due?: Date | undefined }): boolean {
  return due === undefined || due.getTime() - Date.now() > 2000;
}

/** A wait with its arguments or details, in one line. */
export function waitedFor({ kind, text }: { readonly kind: string; readonly text: string }): string {
  return oneLine(kind === 'ask' || kind === 'approve' ? `${kind}: ${text}` : text);
}

/** A wait and the command that ends it. */
export function waitingText({ id, kind, label, text, undecided, at }: WaitingFuture): string {
  const how: Readonly<Record<string, string>> = {
    ask: `statek answer ${id} TEXT`,
    signal: `statek signal '${signalIn(label)}' [PAYLOAD]`,
  };
  const hint = undecided ? `statek approve ${id}, or deny` : how[kind];
  const where = at === undefined ? '' : ` at ${placeText(at)}`;
  const what = `${waitedFor({ kind, text })}${where}`;
  return harmless(hint === undefined ? `waits for ${what}` : `waits for ${what}; to continue: ${hint}`);
}

/** A place in the code of a step, for people. */
export function placeText({ step, line, column }: CodePlace): string {
  return `step ${step}, line ${line}:${column}`;
}

export function commandToEnd({ id, workspace, kind, undecided, label }: Pending): string {
  if (undecided) return `statek approve ${id ?? ''}`;
  if (kind === 'ask') return `statek answer ${id ?? ''} TEXT`;
  if (kind === 'message') return `statek say ${workspace} TEXT`;
  if (kind === 'signal') return `statek signal '${signalIn(label)}'`;
  if (kind === 'version') return `statek unpin ${workspace}`;
  return '';
}

export function timeText(time: Date | undefined): string {
  return time === undefined ? '' : relative(time);
}

function signalIn(label: string): string {
  return /^signal '(.*)'$/.exec(label)?.[1] ?? 'NAME';
}
