// The required version of Node. Uses only features of old versions, so that the check can run on them.
import { StatekError } from './error.ts';

const minVersion = [22, 18] as const;

/** This Node is too old. */
export class NodeVersionError extends StatekError {
  readonly code = 'NODE_VERSION';
}

/** The error message if this version of Node is too old. */
export function nodeTooOld(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > minVersion[0] || (major === minVersion[0] && minor >= minVersion[1])) return undefined;
  return `statek needs Node ${minVersion.join('.')} or newer; this is Node ${version}. Install a newer version from https://nodejs.org.`;
}
