// Waits for a step to end, printing its output and its waits meanwhile.
import type { Step } from '../../workspace/step.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { isWorthPrinting, printStep, waitingText } from './describe.ts';
import { harmless } from '../output/style.ts';
import type { Session } from '../session.ts';

const pollMilliseconds = 300;

/** Returns the step when it has ended. If `stopped` rejects, it stops waiting; the step itself continues. */
export async function followStep(
  session: Session,
  workspace: Workspace,
  begun: Step,
  stopped?: Promise<never>,
): Promise<Step> {
  const { out } = session;
  const announced = new Set<string>();
  let lines = 0;
  const print = (step: Step): void => {
    if (out.isJson) return;
    out.lines(step.console.slice(lines).map(harmless));
    lines = step.console.length;
    for (const future of step.waiting) {
      if (!announced.has(future.id) && isWorthPrinting(future)) out.note(out.noteStyle.yellow(waitingText(future)));
      announced.add(future.id);
    }
  };
  let step = begun;
  if (step.status === 'queued') out.note('Queued: it runs when the current step has ended.');
  print(step);
  if (step.status === 'suspended' || step.status === 'queued') {
    let isPolling = false;
    const timer = setInterval(() => {
      if (isPolling) return;
      isPolling = true;
      workspace
        .step(begun.number)
        .then(print)
        .catch(() => undefined)
        .finally(() => (isPolling = false));
    }, pollMilliseconds);
    try {
      const settled = workspace.settled();
      settled.catch(() => undefined);
      await session.unlessInterrupted(stopped === undefined ? settled : Promise.race([settled, stopped]));
    } finally {
      clearInterval(timer);
    }
    step = await workspace.step(begun.number);
  }
  if (!out.isJson) printStep(out, step, lines);
  return step;
}
