// Waits for a step to its end, and tells meanwhile what it prints and what it waits for.
import type { Step } from '../../workspace/step.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { isWorthTelling, printStep, waitingText } from './describe.ts';
import { harmless } from '../output/style.ts';
import type { Session } from '../session.ts';

const lookEvery = 300;

/** Returns the step when it is over. `stopped` gives up waiting; the step goes on in the store. */
export async function followStep(
  session: Session,
  workspace: Workspace,
  begun: Step,
  stopped?: Promise<never>,
): Promise<Step> {
  const { out } = session;
  const told = new Set<string>();
  let lines = 0;
  const tell = (step: Step): void => {
    if (out.isJson) return;
    out.lines(step.console.slice(lines).map(harmless));
    lines = step.console.length;
    for (const future of step.waiting) {
      if (!told.has(future.id) && isWorthTelling(future)) out.note(out.noteStyle.yellow(waitingText(future)));
      told.add(future.id);
    }
  };
  let step = begun;
  if (step.status === 'queued') out.note('Another step waits; this one comes after it.');
  tell(step);
  if (step.status === 'suspended' || step.status === 'queued') {
    let isLooking = false;
    const timer = setInterval(() => {
      if (isLooking) return;
      isLooking = true;
      workspace
        .step(begun.number)
        .then(tell)
        .catch(() => undefined)
        .finally(() => (isLooking = false));
    }, lookEvery);
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
