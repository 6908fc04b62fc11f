// `statek workflows`: jobs as workflows, and workflows that were reported: their steps, checkpoints, and what can be done with them.
import { jobRows } from '../../../jobs/rows.ts';
import type { Statek } from '../../../kit/statek.ts';
import { WorkflowStatus, type WorkflowCheckpoint, type WorkflowState } from '../../../state/workflows/records.ts';
import { workflowRows, workflowStepRows } from '../../../state/workflows/rows.ts';
import type { Command, Given } from '../../line/command.ts';
import { UsageError } from '../../line/errors.ts';
import { wholeNumber } from '../../line/parse.ts';
import { harmless, oneLine } from '../../output/style.ts';
import { durationText } from '../../output/time.ts';
import type { Session } from '../../session.ts';
import { shownId, timeText } from '../../shown/describe.ts';
import { findJob } from '../../shown/identify.ts';
import { shown, watchOption } from './follow.ts';
import { refuseOptionsOfOthers } from '../../line/refuse-options.ts';

type Action = (session: Session, kit: Statek, given: Given) => Promise<void>;

const followed = [jobRows, workflowRows, workflowStepRows];

const actions: Readonly<Record<string, Action>> = {
  list,
  show,
  pause: onOne((kit, id) => kit.workflows.pause(id)),
  resume: onOne((kit, id) => kit.workflows.resume(id)),
  cancel: onOne((kit, id, given) => kit.workflows.cancel(id, given.optional('more'))),
  checkpoint: async (session, kit, given) => {
    const made = await kit.workflows.checkpoint(await idOf(kit, given), { checkpointId: given.optional('more') });
    if (session.out.isJson) session.out.json(made);
    else session.out.line(harmless(made.checkpointId));
  },
  'resume-from': async (session, kit, given) => {
    const checkpoint = given.optional('more');
    if (checkpoint === undefined) throw new UsageError('statek workflows resume-from needs an id and a checkpoint.');
    const resumed = await kit.workflows.resumeFrom(await idOf(kit, given), checkpoint, { id: given.optional('name') });
    if (session.out.isJson) session.out.json(resumed);
    else session.out.line(harmless(resumed.workflowId));
  },
};

const optionsOf: Readonly<Record<string, readonly string[]>> = {
  status: ['list'],
  limit: ['list'],
  cursor: ['list'],
  name: ['resume-from'],
  watch: ['list', 'show'],
};

export const workflows: Command = {
  name: 'workflows',
  group: 'Look',
  summary: 'jobs as workflows: list, show, pause, resume, cancel, checkpoint, resume-from',
  details: `A job is a workflow whose steps are those of its program; others are reported by an application. A checkpoint of a job is
a tagged commit, and resume-from makes a new job that goes on from it.`,
  arguments: [
    { syntax: '<what>', description: 'list, show, pause, resume, cancel, checkpoint or resume-from' },
    { syntax: '[id]', description: 'the workflow; ids of jobs may be shortened' },
    { syntax: '[more]', description: 'cancel: the reason; checkpoint, resume-from: the checkpoint' },
  ],
  options: [
    {
      flags: '-s, --status <status>',
      description: 'list: only with this status',
      choices: Object.values(WorkflowStatus),
    },
    {
      flags: '-n, --limit <number>',
      description: 'list: maximum number of workflows (default: 50)',
      parse: wholeNumber(1, 1000),
    },
    { flags: '--cursor <text>', description: 'list: continue after the page that ended with this cursor' },
    { flags: '--name <id>', description: 'resume-from: the id of the new workflow' },
    watchOption,
  ],
  examples: [
    ['workflows list --status waiting', 'workflows that wait for something'],
    ['workflows show 3f2a --watch', 'one workflow, as its steps change'],
    ['workflows cancel 3f2a "not needed any more"', 'aborts what runs, with the reason'],
    ['workflows checkpoint 3f2a before-payment', 'names the latest commit'],
    ['workflows resume-from 3f2a before-payment', 'goes on from there, as another job'],
  ],
  async run(session, given) {
    const what = given.text('what');
    const action = Object.hasOwn(actions, what) ? actions[what] : undefined;
    if (action === undefined)
      throw new UsageError(`statek workflows has no action '${what}'. Use ${Object.keys(actions).join(', ')}.`);
    refuseOptionsOfOthers(given, `workflows ${what}`, what, optionsOf);
    await action(session, await session.kit('look'), given);
  },
};

async function list(session: Session, kit: Statek, given: Given): Promise<void> {
  const { out } = session;
  const options = {
    status: given.optional('status') as WorkflowStatus | undefined,
    limit: given.number('limit') ?? 50,
    cursor: given.optional('cursor'),
  };
  const look = () => kit.workflows.list(options);
  await shown(session, kit, given.flag('watch'), followed, look, (page) => {
    if (out.isJson) {
      out.json(page);
      return;
    }
    if (page.workflows.length === 0) {
      out.note('No workflows found.');
      return;
    }
    out.table(page.workflows, [
      { title: 'WORKFLOW', text: ({ workflowId }) => shownId(workflowId, out), minWidth: 8 },
      { title: 'NAME', text: ({ name }) => oneLine(name), minWidth: 8 },
      { title: 'STATUS', text: ({ status }) => status },
      { title: 'STEP', text: ({ currentStep, totalSteps }) => `${currentStep}/${totalSteps}`, right: true },
      { title: 'UPDATED', text: ({ updatedAt }) => timeText(updatedAt) },
      { title: 'REASON', text: ({ reason }) => oneLine(reason ?? ''), minWidth: 8 },
    ]);
    if (page.cursor !== undefined) out.note(`More workflows: add --cursor ${page.cursor}`);
  });
}

async function show(session: Session, kit: Statek, given: Given): Promise<void> {
  const { out } = session;
  const id = await idOf(kit, given);
  const look = async (): Promise<{ workflow: WorkflowState; checkpoints: readonly WorkflowCheckpoint[] }> => ({
    workflow: await kit.workflows.get(id),
    checkpoints: await kit.workflows.listCheckpoints(id),
  });
  await shown(session, kit, given.flag('watch'), followed, look, ({ workflow, checkpoints }) => {
    if (out.isJson) {
      out.json({ ...workflow, checkpoints });
      return;
    }
    const { workflowId, name, status, currentStep, totalSteps, reason, createdAt, resumedFrom } = workflow;
    out.facts([
      ['workflow', harmless(workflowId)],
      ['name', oneLine(name)],
      ['status', status],
      ['step', `${currentStep} of ${totalSteps}`],
      ['reason', reason === undefined ? undefined : oneLine(reason)],
      ['created', timeText(createdAt)],
      ['resumed from', resumedFrom && oneLine(`${resumedFrom.workflowId} at ${resumedFrom.checkpointId}`)],
      ['checkpoints', checkpoints.map(({ checkpointId }) => oneLine(checkpointId)).join(', ') || undefined],
    ]);
    if (workflow.steps.length === 0) return;
    out.line();
    out.table(workflow.steps, [
      { title: 'STEP', text: ({ stepNumber }) => String(stepNumber), right: true },
      { title: 'NAME', text: (step) => oneLine(step.name), minWidth: 10 },
      { title: 'STATUS', text: (step) => step.status },
      {
        title: 'TOOK',
        text: ({ durationMs }) => (durationMs === undefined ? '' : durationText(durationMs)),
        right: true,
      },
      { title: 'RESULT', text: ({ result, error }) => oneLine(error ?? shortText(result)), minWidth: 8 },
    ]);
  });
}

function onOne(act: (kit: Statek, id: string, given: Given) => Promise<WorkflowState>): Action {
  return async (session, kit, given) => {
    const workflow = await act(kit, await idOf(kit, given), given);
    if (session.out.isJson) session.out.json(workflow);
    else session.out.line(`${shownId(workflow.workflowId, session.out)}: ${workflow.status}`);
  };
}

/** A reported workflow by its whole id, or a job. */
async function idOf(kit: Statek, given: Given): Promise<string> {
  const id = given.optional('id');
  if (id === undefined) throw new UsageError(`statek workflows ${given.text('what')} needs the id of a workflow.`);
  return (await kit.workflows.find(id)) === undefined ? (await findJob(kit, id)).id : id;
}

function shortText(result: unknown): string {
  return result === undefined ? '' : typeof result === 'string' ? result : JSON.stringify(result);
}
