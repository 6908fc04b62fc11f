// Measures the Python workspace: bytes and time per step beside the TypeScript one's, going on after a wait, memory, a long loop beside
// the machine's own Python, calls to the host, and the start of a process.
import { inBenchFolder } from '../support/folder.ts';
import { progress, round, type Measurement } from '../support/measurement.ts';
import { measureLive, measureLoop, measureHostCalls } from './running.ts';
import { measureColdStart, measureResume } from './resuming.ts';
import { measureSteps } from './steps.ts';

export async function measure(quick: boolean): Promise<readonly Measurement[]> {
  return inBenchFolder('python', (folder) => measureIn(folder, quick));
}

async function measureIn(folder: string, quick: boolean): Promise<Measurement[]> {
  progress('steps');
  const steps = await measureSteps(folder, quick ? 40 : 200);
  progress('resuming');
  const resume = await measureResume(quick ? 15 : 60);
  progress('memory');
  const live = await measureLive(folder, quick ? 8 : 40);
  progress('loops');
  const loop = await measureLoop();
  const call = await measureHostCalls(quick ? 2000 : 20_000);
  progress('starting');
  const cold = await measureColdStart(folder, quick ? 3 : 7);
  return [
    {
      figure: 'deltaBytesPerStep',
      value: Math.round(steps.python.deltaBytes),
      unit: 'B',
      what: 'image change of a small step, mean',
      goal: { text: '≤ 6,144', met: steps.python.deltaBytes <= 6144 },
    },
    {
      figure: 'warmResumeMs',
      value: round(resume.p50),
      unit: 'ms',
      what: 'an image into an interpreter that held another program, its wait settled, run to the next wait, p50',
      goal: { text: '≤ 15', met: resume.p50 <= 15 },
    },
    { figure: 'warmCaptureMs', value: round(resume.capture), unit: 'ms', what: 'and captured again, p50' },
    { figure: 'stepP50Ms', value: round(steps.python.p50), unit: 'ms', what: 'a small durable step in Python, p50' },
    {
      figure: 'typescriptStepP50Ms',
      value: round(steps.typescript.p50),
      unit: 'ms',
      what: 'a small durable step in TypeScript, p50, in turns with the former',
    },
    {
      figure: 'stepRatio',
      value: round(steps.python.p50 / steps.typescript.p50),
      unit: '×',
      what: 'the first to the second',
      goal: { text: '≤ 1.5', met: steps.python.p50 / steps.typescript.p50 <= 1.5 },
    },
    {
      figure: 'liveMegabytes',
      value: round(live / 2 ** 20),
      unit: 'MB',
      what: 'memory held by a live workspace',
    },
    {
      figure: 'loopMs',
      value: round(loop.own),
      unit: 'ms',
      what: 'a loop of a million additions in a function, best of 5',
    },
    {
      figure: 'machinePythonLoopMs',
      value: loop.machine === undefined ? 'none here' : round(loop.machine),
      unit: 'ms',
      what: `the same in the machine's own python3 ${loop.version}`,
    },
    { figure: 'hostCallUs', value: round(call), unit: 'µs', what: 'a call of a function of the application' },
    {
      figure: 'coldStartMs',
      value: round(cold.fresh),
      unit: 'ms',
      what: 'a new process to its first result, new store, p50',
    },
    {
      figure: 'coldResumeMs',
      value: round(cold.existing),
      unit: 'ms',
      what: 'a new process to its first result in a workspace of an existing store, p50',
      goal: { text: '≤ 800', met: cold.existing <= 800 },
    },
    {
      figure: 'coldEndMs',
      value: round(cold.ended),
      unit: 'ms',
      what: 'and to its end, which waits until the host has optimised a function it began with, p50',
    },
  ];
}
