// What the model of a job is told that was started again by a newer version of the code.
import type { Turn } from '../../jobs/door.ts';

/** Effects that were made are named, so that they are not made again unawares. */
export function restartedText({ calls, driver }: NonNullable<Turn['job']['restarted']>): string {
  const sent = driver
    .filter((name) => /^send\b/.test(name))
    .map((name) => name.replace(/^send/, 'messages to the user'));
  const made = [...calls, ...sent];
  const again = 'This job was started again from its beginning, because the application was updated.';
  return made.length === 0 ? again : `${again} What was done before is not undone: ${made.join(', ')}.`;
}
