// The owner of a lease names its session: `name #id`. An owner without a session id is never considered dead before its
// lease expires.
import { randomBytes } from 'node:crypto';

const pattern = / #([0-9a-f]{16})$/;

export function newSessionId(): string {
  return randomBytes(8).toString('hex');
}

export function ownerOf(name: string, sessionId: string): string {
  return `${name} #${sessionId}`;
}

export function sessionIdOf(owner: string): string | undefined {
  return pattern.exec(owner)?.[1];
}
