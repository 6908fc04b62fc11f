// A program that ends its job while calls it has asked for are still to be made has probably forgotten to wait for them.
// They were not made, so the job is not done: its model hears of it, and goes on.
import type { Language } from '../prompts/metadata.ts';

const remedies: Readonly<Record<Language, string>> = {
  typescript: 'Call them again with await',
  python: 'Call them again without start(…), or wait with get_all(…)',
};

/** What the model is told; undefined if nothing was left unmade. Its tools are called by their own names. */
export function unmadeNote(unmade: readonly string[], role: string, language: Language): string | undefined {
  if (unmade.length === 0) return undefined;
  const calls = unmade.map((label) => (label.startsWith(`${role}.`) ? label.slice(role.length + 1) : label));
  return `exit() was called before these calls were made, and they were never made: ${calls.join(', ')}. The job is not over. ${remedies[language]}, then call exit() once more; leave out those that are not needed.`;
}
