// A research pipeline of four steps: paused by somebody while it runs, resumed in another process, and run again from a checkpoint.
import { WorkflowStateManager } from 'statek/state';

const steps = ['collect', 'analyse', 'summarise', 'publish'] as const;

export async function researchPipeline(folder: string): Promise<void> {
  let workflows = new WorkflowStateManager({ store: folder, checkpointInterval: 2 });
  await workflows.create({ workflowId: 'trends', totalSteps: steps.length, context: { topic: 'night trains' } });
  // Somebody presses pause during the second step; the pipeline stops before the third.
  await run(workflows, 'trends', (name) => (name === 'analyse' ? workflows.pause('trends') : undefined));
  await workflows.close();

  workflows = new WorkflowStateManager({ store: folder });
  console.log('another process resumes it');
  await workflows.resume('trends');
  await run(workflows, 'trends');

  // A checkpoint was made after every second step. The new workflow goes on from there; the old one stays as it is.
  const [checkpoint] = (await workflows.listCheckpoints('trends')).toSorted((a, b) => a.step - b.step);
  const again = await workflows.resumeFrom('trends', checkpoint?.checkpointId ?? '', { id: 'trends-2' });
  console.log(`${again.workflowId} begins after step ${again.currentStep}, from ${checkpoint?.checkpointId}`);
  await workflows.cancel('trends-2', 'The topic was dropped.');
  for (const { workflowId, status, progress, reason = '' } of (await workflows.list()).workflows)
    console.log(`  ${workflowId}: ${status}, ${progress * 100} % ${reason}`.trimEnd());
  await workflows.close();
}

/** Carries out the steps that are not done yet, as long as nobody has paused the workflow. */
async function run(
  workflows: WorkflowStateManager,
  id: string,
  during: (step: string) => Promise<unknown> | undefined = () => undefined,
): Promise<void> {
  for (const [index, name] of steps.entries()) {
    const { status, currentStep } = await workflows.get(id);
    if (index < currentStep) continue;
    if (status === 'paused') return console.log(`  ${status} before ${name}`);
    const step = { stepNumber: index + 1, name };
    await workflows.updateStep(id, { ...step, status: 'running' });
    await during(name);
    // The same report made twice, by a process that is not sure of itself, happens once.
    const report = { ...step, status: 'completed', durationMs: 100 * (index + 1) } as const;
    await workflows.updateStep(id, report, { idempotencyKey: `${id} ${name}` });
    console.log(`  ${name} is done`);
  }
  console.log(`  ${await workflows.getStatus(id)}`);
}
