// AgenticAI's snippets for WorkflowStateManager, line by line.
import { StepStatus, WorkflowStateManager, WorkflowStatus, type NewWorkflow, type StepReport } from 'statek/state';

export async function workflows(folder: string): Promise<void> {
  const workflowState = new WorkflowStateManager({ persistence: 'sqlite', filePath: folder, checkpointInterval: 5 });

  const state: NewWorkflow = {
    workflowId: 'research_pipeline',
    status: WorkflowStatus.PENDING,
    totalSteps: 10,
    currentStep: 0,
    context: {},
  };
  await workflowState.create(state);
  const step: StepReport = {
    stepNumber: 1,
    name: 'data_collection',
    status: StepStatus.COMPLETED,
    result: { documents: 150 },
    durationMs: 5400,
  };
  await workflowState.updateStep('research_pipeline', step);
  const current = await workflowState.get('research_pipeline');
  console.log(`Progress: ${current.currentStep}/${current.totalSteps}`);

  // Step, state and time of a checkpoint are those of the workflow; nobody says them.
  const checkpoint = await workflowState.checkpoint('research_pipeline', {
    checkpointId: 'step_1_complete',
    context: { topic: 'trains' },
  });
  console.log(checkpoint.checkpointId, checkpoint.step, checkpoint.state?.status, checkpoint.context);
  console.log((await workflowState.listCheckpoints('research_pipeline')).length);
  // A workflow of its own goes on from there: what happened to the first one stays as it was.
  const resumed = await workflowState.resumeFrom('research_pipeline', 'step_1_complete', { id: 'second' });
  console.log(`${resumed.workflowId}: ${resumed.currentStep}/${resumed.totalSteps}`, resumed.context);

  await workflowState.pause('research_pipeline');
  const status = await workflowState.getStatus('research_pipeline');
  console.log(`Status: ${status}`, status === WorkflowStatus.PAUSED);
  await workflowState.resume('research_pipeline');
  const { reason } = await workflowState.cancel('research_pipeline', 'User requested cancellation');
  console.log(reason);
  await workflowState.close();
}
