// Which Node is needed. Uses nothing that an older one lacks, so that it can say so there.
import { StatekError } from './error.ts';

const oldest = [22, 18] as const;

/** This Node is too old. */
export class NodeVersionError extends StatekError {
  readonly code = 'NODE_VERSION';
}

/** What is wrong with this Node; undefined if it will do. */
export function nodeTooOld(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return undefined;
  return `statek needs Node ${oldest.join('.')} or newer, and this is Node ${version}. Get a newer one from https://nodejs.org.`;
}
