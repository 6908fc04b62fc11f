// Measures the durable TypeScript workspace: bytes and time per step, resuming, history, memory, host calls; and LangGraph
// on the same steps with the same durability.
import { inBenchFolder } from '../support/folder.ts';
import { progress, round, type Measurement } from '../support/measurement.ts';
import { measureLangGraph } from './langgraph.ts';
import { measureHeap, measureHostCalls, measureLive, measureParked } from './memory.ts';
import { measureResume } from './resume.ts';
import { measureMany, measureSteps, type ManyFigures, type StepFigures } from './steps.ts';

export async function measure(quick: boolean): Promise<readonly Measurement[]> {
  return inBenchFolder('workspace', (folder) => measureIn(folder, quick));
}

async function measureIn(folder: string, quick: boolean): Promise<Measurement[]> {
  progress('steps');
  const steps = await measureSteps(folder, 200);
  progress('LangGraph');
  const langGraph = measureLangGraph(folder, 200, 100);
  progress('many workspaces');
  const many = await measureMany(folder, 100, quick ? 5 : 20);
  const late = quick ? 500 : 5000;
  const resume = await measureResume(folder, 50, quick ? 500 : 10_000);
  const ratio = resume.late / resume.early;
  const calls = await measureHostCalls(quick ? 5000 : 50_000);
  const live = await measureLive(folder, quick ? 20 : 80);
  const parkedCount = quick ? 400 : 10_000;
  const parked = await measureParked(folder, parkedCount);
  const heaps: Measurement[] = [];
  for (const megabytes of quick ? [1, 16] : [1, 16, 64]) {
    progress(`a heap of ${megabytes} MB`);
    const time = await measureHeap(folder, megabytes);
    heaps.push({
      figure: `heap${megabytes}MbStepMs`,
      value: round(time),
      unit: 'ms',
      what: `a small durable step on a heap of ${megabytes} MB, p50`,
    });
  }
  return [
    {
      figure: 'durability',
      value: 'synchronous=FULL, WAL; one caller by default',
      unit: '',
      what: 'sync settings of both sides',
    },
    {
      figure: 'deltaBytesPerStep',
      value: Math.round(steps.deltaBytes),
      unit: 'B',
      what: 'image change of a small step, mean of 200',
      goal: { text: '≤ 2,048', met: steps.deltaBytes <= 2048 },
    },
    {
      figure: 'growthBytesPerStep',
      value: Math.round(steps.growthBytes),
      unit: 'B',
      what: 'growth of the store per small step, all included',
      goal: { text: '≤ 2,000', met: steps.growthBytes <= 2000 },
    },
    { figure: 'stepP50Ms', value: round(steps.p50), unit: 'ms', what: 'a small durable step, p50' },
    {
      figure: 'rawSyncP50Ms',
      value: round(steps.rawP50),
      unit: 'ms',
      what: 'raw append of 16 KB + fdatasync in the same run, p50',
    },
    {
      figure: 'stepToRaw',
      value: round(steps.p50 / steps.rawP50),
      unit: '×',
      what: 'a small durable step against the raw disk',
      goal: { text: '≤ 2.5', met: steps.p50 / steps.rawP50 <= 2.5 },
    },
    { figure: 'stepsPerSecond1', value: round(steps.perSecond), unit: '/s', what: 'durable steps with 1 workspace' },
    {
      figure: 'stepsPerSecond100',
      value: round(many.perSecond),
      unit: '/s',
      what: 'durable steps with 100 workspaces',
    },
    {
      figure: 'stepCpuMs1',
      value: round(steps.cpuMilliseconds),
      unit: 'ms',
      what: 'CPU time of a step with 1 workspace, all threads',
      goal: { text: '≤ 0.6', met: steps.cpuMilliseconds <= 0.6 },
    },
    {
      figure: 'stepCpuMs100',
      value: round(many.cpuMilliseconds),
      unit: 'ms',
      what: 'CPU time of a step with 100 workspaces, all threads',
      goal: { text: '≤ 0.4', met: many.cpuMilliseconds <= 0.4 },
    },
    ...langGraphRows(langGraph, steps, many),
    {
      figure: 'resumeEarlyMs',
      value: round(resume.early),
      unit: 'ms',
      what: 'first step of a new process, workspace at step 50',
    },
    {
      figure: 'resumeLateMs',
      value: round(resume.late),
      unit: 'ms',
      what: `first step of a new process, workspace at step ${resume.commits}`,
    },
    {
      figure: 'resumeRatio',
      value: round(ratio),
      unit: '×',
      what: `resuming late against early (at least ${late} steps)`,
      goal: { text: '≤ 1.3', met: ratio <= 1.3 },
    },
    {
      figure: 'checkoutOldestMs',
      value: round(resume.oldest),
      unit: 'ms',
      what: `variables at the oldest of ${resume.commits} commits`,
    },
    {
      figure: 'checkoutNewestMs',
      value: round(resume.newest),
      unit: 'ms',
      what: `variables at the newest of ${resume.commits} commits`,
    },
    { figure: 'liveWorkspaceBytes', value: Math.round(live), unit: 'B', what: 'memory of a live workspace' },
    {
      figure: 'parkedWorkspacesBytes',
      value: Math.round(parked),
      unit: 'B',
      what: `memory that ${parkedCount} parked workspaces added`,
    },
    {
      figure: 'hostCallUs',
      value: round(calls.call),
      unit: 'µs',
      what: 'call of a host method from guest code',
      goal: { text: '≤ 5', met: calls.call <= 5 },
    },
    {
      figure: 'fieldReadUs',
      value: round(calls.field),
      unit: 'µs',
      what: 'reading a field through a handle',
      goal: { text: '≤ 2', met: calls.field <= 2 },
    },
    ...heaps,
  ];
}

function langGraphRows(
  figures: ReturnType<typeof measureLangGraph>,
  steps: StepFigures,
  many: ManyFigures,
): Measurement[] {
  if (typeof figures === 'string')
    return [{ figure: 'langGraph', value: 'skipped', unit: '', what: `LangGraph ${figures}` }];
  const faster = steps.perSecond / figures.stepsPerSecond;
  const fasterMany = many.perSecond / figures.stepsPerSecondMany;
  const smaller = steps.growthBytes / figures.bytesPerStep;
  return [
    {
      figure: 'langGraphStepsPerSecond',
      value: round(figures.stepsPerSecond),
      unit: '/s',
      what: `LangGraph + SQLite checkpointer (synchronous=${figures.synchronous}), 200 steps of 500 bytes`,
    },
    {
      figure: 'langGraphBytesPerStep',
      value: Math.round(figures.bytesPerStep),
      unit: 'B',
      what: 'LangGraph: bytes on disk per step',
    },
    {
      figure: 'speedAgainstLangGraph',
      value: round(faster),
      unit: '×',
      what: 'our steps per second against LangGraph',
      goal: { text: '≥ 3', met: faster >= 3 },
    },
    {
      figure: 'langGraphStepsPerSecond100',
      value: round(figures.stepsPerSecondMany),
      unit: '/s',
      what: 'LangGraph with 100 threads at once',
    },
    {
      figure: 'speedAgainstLangGraph100',
      value: round(fasterMany),
      unit: '×',
      what: 'our steps per second with 100 workspaces against it',
      goal: { text: '≥ 10', met: fasterMany >= 10 },
    },
    {
      figure: 'bytesAgainstLangGraph',
      value: round(smaller),
      unit: '×',
      what: 'our bytes per step against LangGraph',
      goal: { text: '≤ 1', met: smaller <= 1 },
    },
  ];
}
