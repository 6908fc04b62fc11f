// Advisory locks: who commits, and who changes the layout. Their numbers follow from the schema's name, so all processes
// agree on them, and they are held by transactions, so they also work through poolers and end with the connection.
import { createHash } from 'node:crypto';

/** `commit` is held by whoever commits; `layout` by whoever creates or migrates tables. */
export type LockName = 'commit' | 'layout';

export function lockScript(schema: string, name: LockName): string {
  return `select pg_advisory_xact_lock(${lockNumber(schema, name)})`;
}

export function lockNumber(schema: string, name: LockName): bigint {
  return createHash('sha256').update(`statek ${name} ${schema}`).digest().readBigInt64BE();
}

/** What committing tells those who listen. */
export function channelName(schema: string): string {
  return `statek_${schema}`;
}

/** Volatile messages, and who listens to them. No schema's name has a colon, so these are no other schema's channels. */
export function volatileChannelNames(schema: string): { readonly messages: string; readonly listeners: string } {
  return { messages: `statek:${schema}`, listeners: `statek:${schema}:who` };
}
