// Advisory locks for commits and layout changes. Their numbers derive from the schema name, so all processes agree on
// them. Transactions hold them, so they work through poolers and end with the connection.
import { createHash } from 'node:crypto';

/** `commit` is held during commits, `layout` while creating or migrating tables. */
export type LockName = 'commit' | 'layout';

export function lockScript(schema: string, name: LockName): string {
  return `select ${lockCall(schema, name)}`;
}

export function lockCall(schema: string, name: LockName): string {
  return `pg_advisory_xact_lock(${lockNumber(schema, name)})`;
}

export function lockNumber(schema: string, name: LockName): bigint {
  return createHash('sha256').update(`statek ${name} ${schema}`).digest().readBigInt64BE();
}

/** The channel on which commits notify followers. */
export function channelName(schema: string): string {
  return `statek_${schema}`;
}

/** The channels of volatile messages and their listeners. Schema names have no colon, so these cannot collide with them. */
export function volatileChannelNames(schema: string): { readonly messages: string; readonly listeners: string } {
  return { messages: `statek:${schema}`, listeners: `statek:${schema}:who` };
}
