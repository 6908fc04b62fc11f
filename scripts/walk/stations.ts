// The stations of the two walks drawn in docs/architecture.md, in order. `npm run walk -- --draw` draws them after
// verifying that a real walk passes all of them in this order.

/** A function on the path, with a label for readers; or a commit of everything planned before it. */
export type Station =
  | { readonly file: string; readonly name: string; readonly text: string }
  | { readonly commit: string };

export const stations: Readonly<Record<'message' | 'signal', readonly Station[]>> = {
  message: [
    { file: 'kit/statek.ts', name: 'submit', text: 'kit.submit(agent, { message })' },
    { file: 'agents/agents.ts', name: '#withDefinition', text: 'freezes what the job is made from' },
    { file: 'jobs/changes/submit.ts', name: 'submission', text: 'row, message, place in the queue' },
    { commit: 'the job exists' },
    { file: 'jobs/work/scheduler.ts', name: '#take', text: 'a worker claims the job' },
    { file: 'jobs/work/runner.ts', name: '#once', text: 'does the next thing for it' },
    { file: 'jobs/work/advance.ts', name: 'advance', text: 'asks its driver what to do' },
    { file: 'agents/loop/driver.ts', name: '#ask', text: 'ask the model' },
    { commit: 'the request is recorded' },
    { file: 'jobs/work/driver-call.ts', name: 'next', text: 'makes the call' },
    { file: 'agents/loop/calls.ts', name: 'ask', text: 'lays out the conversation' },
    { file: 'models/models.ts', name: 'ask', text: 'sends it, retries, prices the reply' },
    { file: 'agents/loop/driver.ts', name: '#replied', text: 'run the code of the reply' },
    { commit: 'the reply is recorded, before anything runs' },
    { file: 'jobs/work/job-workspace.ts', name: 'beginStep', text: 'workspace, variables and step' },
    { file: 'workspace/slices/live-workspace.ts', name: 'run', text: 'one thing at a time, under the lease' },
    { file: 'workspace/slices/execution.ts', name: 'execute', text: 'run: guest code until it is idle' },
    {
      file: 'workspace/slices/slice-transaction.ts',
      name: 'prepareSlice',
      text: 'plan: image, console, futures, rows',
    },
    { file: 'jobs/work/joining.ts', name: 'join', text: 'the job joins: exit() ends it' },
    { commit: 'everything the slice did' },
    { file: 'jobs/jobs.ts', name: 'resultOf', text: 'job.result()' },
  ],
  signal: [
    { file: 'kit/statek.ts', name: 'signal', text: "kit.signal('paid', 42)" },
    { file: 'workspace/futures/arrivals.ts', name: 'sendSignal', text: 'finds the oldest wait for it' },
    { file: 'workspace/futures/settlement.ts', name: 'settlements', text: 'settles the future' },
    { file: 'jobs/owners.ts', name: 'wake', text: 'puts the job into its queue' },
    { commit: 'the signal has arrived' },
    { file: 'jobs/work/scheduler.ts', name: '#take', text: 'a worker claims the job' },
    { file: 'jobs/work/runner.ts', name: '#once', text: 'goes on with its program' },
    { file: 'workspace/slices/live-workspace.ts', name: 'continue', text: 'loads the image' },
    { file: 'workspace/futures/waiting.ts', name: 'waitingFor', text: 'what has settled?' },
    { file: 'workspace/slices/execution.ts', name: 'execute', text: 'run: the await returns' },
    {
      file: 'workspace/slices/slice-transaction.ts',
      name: 'prepareSlice',
      text: 'plan: image, console, futures, rows',
    },
    { file: 'jobs/work/joining.ts', name: 'join', text: 'the job joins: exit() ends it' },
    { commit: 'everything the slice did' },
  ],
};
