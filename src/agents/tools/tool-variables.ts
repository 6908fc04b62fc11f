// Variables that hold the tools an agent was given are not what its program made, so they are not shown among it.
import { GuestText } from '../../workspace/door.ts';

/** Whether a variable holds the tool of its own name, as it is shown: `[role.name]`. */
export function isTool(name: string, shown: string | undefined): boolean {
  const [, own] = /^\[.*\.([^.\]]+)\]$/s.exec(shown ?? '') ?? [];
  return own !== undefined && plain(own) === plain(name);
}

/** Python writes `find_meeting` what TypeScript writes `findMeeting`. */
function plain(name: string): string {
  return name.replaceAll('_', '').toLowerCase();
}

/** Variables without those that are tools. */
export function ownVariables(all: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(all).filter(([name, value]) => !(value instanceof GuestText && isTool(name, value.text))),
  );
}
