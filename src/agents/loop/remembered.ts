// What a job is told of what earlier ones remembered, at its beginning.
import { sharedSource } from '../memory/shared-names.ts';
import type { Remembered } from './calls.ts';
import type { LoopTurn, Todo } from './state.ts';

/** Facts are told, and are variables that cannot be assigned over. */
export function tellRemembered(loop: LoopTurn, { text, facts }: Remembered): void {
  if (text === '') return;
  const source = sharedSource(facts, loop.state.language);
  const how =
    source === undefined ? '' : ' (variables of these names are read-only; remember(name, value) changes them)';
  loop.add({ kind: 'note', text: `What is remembered from earlier jobs${how}:\n${text}` });
  if (source !== undefined) loop.set({ todo: [hiddenWarmup(source), ...loop.state.todo] });
}

/** Code of the system that runs before the warmup, and that nobody is shown. */
function hiddenWarmup(source: string): Todo {
  return { kind: 'warmup', block: { source, hidden: true } };
}
