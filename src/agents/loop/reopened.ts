// A job that was over is opened again: what was left undone of the last reply is told, and not taken up.
import type { LoopTurn } from './state.ts';
import { stepItem } from './steps.ts';

const stopped =
  'The job was stopped before this came to its end. Look at what is there before you go on: a call that was under way may have been made.';

export function leaveUndone(loop: LoopTurn): void {
  const { doing, todo, language } = loop.state;
  loop.set({ doing: null, todo: [], reply: null });
  if (doing?.kind === 'code' || doing?.kind === 'tool') {
    const error = { name: 'CancelledError', message: stopped };
    loop.add(
      stepItem(
        { number: 0, status: 'failed', value: undefined, shown: undefined, error, console: [], commit: undefined },
        doing,
        language,
      ),
    );
  }
  if (doing?.kind === 'send') loop.add({ kind: 'note', text: 'What you wrote may not have been delivered.' });
  // Calls that were not made are told as their results.
  if (todo.some((one) => one.kind === 'send' || (one.kind === 'code' && one.call === undefined)))
    loop.add({ kind: 'note', text: 'The rest of your reply was neither run nor sent.' });
}
