// `statek show`: one job or workspace in detail.
import type { Job } from '../../../agents/job.ts';
import type { Statek } from '../../../kit/statek.ts';
import { stepRows, workspaceRows } from '../../../workspace/rows.ts';
import type { Workspace } from '../../../workspace/workspace.ts';
import type { WaitingFuture } from '../../../workspace/step.ts';
import type { Command } from '../../line/command.ts';
import {
  errorText,
  jobRecord,
  shownId,
  statusStyle,
  statusText,
  timeText,
  versionText,
  waitingText,
} from '../../shown/describe.ts';
import { findTarget } from '../../shown/identify.ts';
import type { Output } from '../../output/output.ts';
import { harmless, oneLine } from '../../output/style.ts';
import { truncate } from '../../output/table.ts';
import { inFull, shownVariables } from '../../shown/variables.ts';

export const show: Command = {
  name: 'show',
  group: 'Look',
  summary: 'show one job or workspace: its state, result, variables and what it waits for',
  arguments: [{ syntax: '<id>', description: 'a job or workspace' }],
  examples: [
    ['show 3f2a', 'the job whose id starts with 3f2a'],
    ['show analysis --json', 'a workspace, for a script'],
  ],
  async run(session, given) {
    const kit = await session.kit('look');
    const { job, workspace } = await findTarget(kit, given.text('id'));
    const record = {
      ...(job === undefined ? {} : await jobFacts(kit, job)),
      ...(workspace === undefined ? {} : await workspaceFacts(kit, workspace, job)),
    };
    if (session.out.isJson) session.out.json(jsonRecord(record));
    else print(session.out, job, record);
  },
};

type Facts = Record<string, unknown> & {
  waiting?: readonly WaitingFuture[];
  variables?: readonly { readonly name: string; readonly json: unknown; readonly text: string }[];
  commits?: number;
  commit?: string | undefined;
  calls?: readonly {
    readonly name: string;
    readonly state: string;
    readonly duration: number | undefined;
    readonly created: Date;
  }[];
  children?: readonly Job[];
};

async function jobFacts(kit: Statek, job: Job): Promise<Facts> {
  const [children, calls, messages, usage] = await Promise.all([
    kit.jobs({ parent: job.id, limit: 20, order: 'oldest' }),
    job.calls(),
    job.messages().catch(() => []),
    job.usage(),
  ]);
  return {
    ...jobRecord(job),
    ...(await resultOf(kit, job)),
    ...(usage.turns.length === 0
      ? {}
      : { usage: { turns: usage.turns.length, tokens: usage.tokens, cost: usage.cost } }),
    messages: messages.length,
    calls: calls.map(({ id, by, name, state, duration, created }) => ({ id, by, name, state, duration, created })),
    children,
  };
}

/** A result that refers to services this process does not have cannot be decoded; shows the error instead. */
async function resultOf(kit: Statek, job: Job): Promise<Record<string, unknown>> {
  if (job.outcome !== 'completed') return {};
  try {
    const { json, text } = await inFull(kit, await job.result());
    return { result: json, resultText: text };
  } catch (error) {
    return { result: null, resultText: `(${(error as Error).message})` };
  }
}

async function workspaceFacts(kit: Statek, workspace: Workspace, job: Job | undefined): Promise<Facts> {
  const [entry] = await kit.store.read(workspaceRows, [[workspace.id]]);
  const last = await kit.store.scan(stepRows, { prefix: [workspace.id] }, { reverse: true, limit: 1 });
  const [head] = await workspace.commits({ limit: 1 });
  const step = last.entries[0]?.value;
  return {
    id: workspace.id,
    language: entry?.value.language,
    ...(entry?.value.forkedFrom === undefined ? {} : { forkedFrom: entry.value.forkedFrom }),
    ...(job === undefined && entry !== undefined ? { created: new Date(entry.value.created) } : {}),
    step:
      step === undefined ? null : { number: step.number, status: step.status, source: step.source, error: step.error },
    commit: head?.hash,
    commits: head === undefined ? 0 : head.sequence + 1,
    // Futures may still be pending after exit(), but nothing waits for them.
    waiting: job?.status === 'DONE' ? [] : await workspace.waiting(),
    variables: await shownVariables(kit, job ?? workspace, { items: 25, depth: 3, maxLength: 500 }),
  };
}

function jsonRecord({ variables, children, resultText: _resultText, ...rest }: Facts): Record<string, unknown> {
  return {
    ...rest,
    ...(children === undefined ? {} : { children: children.map(jobRecord) }),
    ...(variables === undefined
      ? {}
      : { variables: Object.fromEntries(variables.map(({ name, json }) => [name, json])) }),
  };
}

function print(out: Output, job: Job | undefined, facts: Facts): void {
  const { style } = out;
  const { waiting = [], variables = [], calls = [], children = [] } = facts;
  const usage = facts['usage'] as
    | { turns: number; tokens: { input: number; output: number }; cost: number }
    | undefined;
  const step = facts['step'] as { number: number; status: string; error?: never } | null | undefined;
  const fork = facts['forkedFrom'] as { workspace: string; commit: string } | undefined;
  out.facts([
    [job === undefined ? 'workspace' : 'job', style.bold(harmless(String(facts['id'])))],
    ['role', job && harmless(job.role)],
    ['status', job && statusStyle(style)(statusText(job))],
    ['parent', job?.parent && harmless(job.parent)],
    ['labels', job && oneLine(job.labels.join(', '))],
    ['version', job && versionText(job)],
    ['schedule', job?.schedule && `${oneLine(job.schedule.name)}, for ${job.schedule.due.toISOString()}`],
    ['created', timeText((job?.created ?? facts['created']) as Date | undefined)],
    ['updated', timeText(job?.updated)],
    ['language', facts['language'] as string | undefined],
    ['forked from', fork && `${harmless(fork.workspace)} at ${fork.commit.slice(0, 12)}`],
    ['step', step === null || step === undefined || job !== undefined ? undefined : `${step.number}, ${step.status}`],
    [
      'commits',
      facts.commits === undefined ? undefined : `${facts.commits}, the latest ${facts.commit?.slice(0, 12) ?? ''}`,
    ],
    [
      'usage',
      usage &&
        `${usage.turns} turns, ${usage.tokens.input} tokens in, ${usage.tokens.output} out, $${usage.cost.toFixed(4)}`,
    ],
    ['result', facts['resultText'] as string | undefined],
    ['error', job?.error === undefined ? undefined : style.red(errorText(job.error))],
  ]);
  if (waiting.length > 0) out.lines(waiting.map((one) => style.yellow(waitingText(one))));
  if (variables.length > 0) {
    out.heading('Variables');
    const width = out.width;
    out.lines(
      variables.map(({ name, text }) => {
        const line = `${harmless(name)} = ${oneLine(text)}`;
        return width === undefined ? line : truncate(line, width);
      }),
    );
  }
  if (calls.length > 0) {
    out.heading('Calls');
    out.table(calls, [
      { title: 'CALL', text: ({ name }) => oneLine(name), minWidth: 10 },
      { title: 'STATE', text: ({ state }) => state },
      { title: 'MADE', text: ({ created }) => timeText(created) },
      { title: 'TOOK', text: ({ duration }) => (duration === undefined ? '' : `${duration} ms`), right: true },
    ]);
  }
  if (children.length > 0) {
    out.heading('Children');
    out.table(children, [
      { title: 'JOB', text: ({ id }) => shownId(id, out) },
      { title: 'ROLE', text: ({ role }) => oneLine(role) },
      { title: 'STATUS', text: statusText, style: statusStyle(style) },
    ]);
  }
}
