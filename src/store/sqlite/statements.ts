// All SQL of the SQLite engine. Collections are rowid tables with an index on the key: compared with WITHOUT ROWID, values
// of a kilobyte and more take half the space and a third of the time. Small values are the other way round: a commit writes
// one page for them instead of two. Files of earlier versions keep the tables they have; the statements are the same.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Collection } from '../collection.ts';
import { stateChecksum } from './row.ts';

/** Written into the file header ("STEK"), to recognise files of other programs. */
export const applicationId = 0x5354454b;

/** The current layout. A file with a higher version is rejected, one with a lower version is migrated. */
export const formatVersion = 1;

// The head is the revision of the last log row, or the horizon if the log is empty, so no counter is written per commit.
export const createFile = `
  CREATE TABLE meta (id INTEGER PRIMARY KEY CHECK (id = 1), horizon INTEGER NOT NULL, token INTEGER NOT NULL, checksum INTEGER NOT NULL);
  INSERT INTO meta VALUES (1, 0, 0, ${stateChecksum(0, 0)});
  CREATE TABLE collections (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, holds TEXT NOT NULL, keeps TEXT NOT NULL, leased INTEGER NOT NULL, checksum INTEGER NOT NULL);
  CREATE TABLE log (revision INTEGER PRIMARY KEY, checksum INTEGER NOT NULL, changes BLOB NOT NULL);
  PRAGMA application_id = ${applicationId};
  PRAGMA user_version = ${formatVersion};
`;

export function createCollection(collection: Collection): string {
  const { name, keeps, leased } = collection;
  const options = collection.holds === 'records' && !leased && collection.small === true ? ' WITHOUT ROWID' : '';
  const leaseColumns = leased
    ? ", owner TEXT NOT NULL DEFAULT '', token INTEGER NOT NULL DEFAULT 0, expires INTEGER NOT NULL DEFAULT 0"
    : '';
  return [
    `CREATE TABLE data_${name} (key BLOB NOT NULL PRIMARY KEY, revision INTEGER NOT NULL, checksum INTEGER NOT NULL, value NOT NULL${leaseColumns})${options};`,
    leased ? `CREATE INDEX free_${name} ON data_${name} (expires, key);` : '',
    keeps === 'versions'
      ? `CREATE TABLE past_${name} (key BLOB NOT NULL, until INTEGER NOT NULL, revision INTEGER NOT NULL, checksum INTEGER NOT NULL, value NOT NULL, PRIMARY KEY (key, until))${options};`
      : '',
  ].join('\n');
}

/** Statements about the whole file. */
export const storeSql = {
  begin: 'BEGIN',
  rollback: 'ROLLBACK',
  state: 'SELECT horizon, token, checksum, coalesce((SELECT max(revision) FROM log), horizon) AS head FROM meta',
  setState: 'UPDATE meta SET horizon = ?, token = ?, checksum = ?',
  collections: 'SELECT id, name, holds, keeps, leased, checksum FROM collections ORDER BY id',
  addCollection: 'INSERT INTO collections (id, name, holds, keeps, leased, checksum) VALUES (?, ?, ?, ?, ?, ?)',
  addLog: 'INSERT INTO log (revision, checksum, changes) VALUES (?, ?, ?)',
  readLog: 'SELECT revision, checksum, changes FROM log WHERE revision > ? ORDER BY revision LIMIT ?',
  oldLog: 'SELECT revision, checksum, changes FROM log WHERE revision <= ? ORDER BY revision LIMIT ?',
  dropLog: 'DELETE FROM log WHERE revision <= ?',
  countLog: 'SELECT count(*) AS count FROM log',
} as const;

type CollectionStatement =
  | ('get' | 'getAt' | 'scan' | 'scanReverse' | 'scanAt' | 'scanAtReverse' | 'all' | 'allPast')
  | ('page' | 'pagePast' | 'getPast' | 'count' | 'countPast' | 'dropAllPast')
  | ('revisionOf' | 'put' | 'remove' | 'retire' | 'addPast' | 'dropPast')
  | ('tokenOf' | 'holders' | 'owners' | 'expire' | 'free' | 'expired' | 'lease' | 'renew' | 'unlease' | 'dropLease');

/** Statements about one collection; `…Past` only if it keeps versions, leases only in work collections. */
export function collectionSql(name: string): Readonly<Record<CollectionStatement, string>> {
  const data = `data_${name}`;
  const past = `past_${name}`;
  const entry = 'key, revision, checksum, value';
  const range = 'key >= ?1 AND key < ?2';
  const atRange = `SELECT ${entry} FROM ${data} WHERE ${range} AND revision <= ?3 UNION ALL SELECT ${entry} FROM ${past} WHERE ${range} AND until > ?3 AND revision <= ?3`;
  return {
    get: `SELECT ${entry} FROM ${data} WHERE key = ?`,
    getAt: `SELECT ${entry} FROM ${past} WHERE key = ?1 AND until > ?2 AND revision <= ?2`,
    scan: `SELECT ${entry} FROM ${data} WHERE ${range} ORDER BY key LIMIT ?3`,
    scanReverse: `SELECT ${entry} FROM ${data} WHERE ${range} ORDER BY key DESC LIMIT ?3`,
    scanAt: `${atRange} ORDER BY key LIMIT ?4`,
    scanAtReverse: `${atRange} ORDER BY key DESC LIMIT ?4`,
    all: `SELECT ${entry} FROM ${data}`,
    allPast: `SELECT ${entry} FROM ${past}`,

    page: `SELECT ${entry} FROM ${data} WHERE key > ? ORDER BY key`,
    pagePast: `SELECT ${entry}, until FROM ${past} WHERE (key, until) > (?, ?) ORDER BY key, until`,
    getPast: `SELECT ${entry}, until FROM ${past} WHERE key = ? AND until = ?`,
    count: `SELECT count(*) AS count FROM ${data}`,
    countPast: `SELECT count(*) AS count FROM ${past}`,
    dropAllPast: `DELETE FROM ${past} WHERE until <= ?`,

    revisionOf: `SELECT revision FROM ${data} WHERE key = ?`,
    put: `INSERT INTO ${data} (key, revision, checksum, value) VALUES (?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET revision = excluded.revision, checksum = excluded.checksum, value = excluded.value`,
    remove: `DELETE FROM ${data} WHERE key = ?`,
    retire: `INSERT INTO ${past} (key, until, revision, checksum, value) SELECT key, ?2, revision, checksum, value FROM ${data} WHERE key = ?1`,
    addPast: `INSERT INTO ${past} (key, until, revision, checksum, value) VALUES (?, ?, ?, ?, ?)`,
    dropPast: `DELETE FROM ${past} WHERE key = ? AND until <= ?`,

    tokenOf: `SELECT token FROM ${data} WHERE key = ? AND expires > 0`,
    free: `SELECT ${entry} FROM ${data} WHERE expires = 0 AND ${range} ORDER BY key LIMIT ?3`,
    expired: `SELECT ${entry} FROM ${data} WHERE expires > 0 AND expires <= ?4 AND ${range} ORDER BY key LIMIT ?3`,
    lease: `UPDATE ${data} SET owner = ?, token = ?, expires = ? WHERE key = ?`,
    renew: `UPDATE ${data} SET expires = ? WHERE key = ? AND token = ? AND expires > 0`,
    unlease: `UPDATE ${data} SET owner = '', token = 0, expires = 0 WHERE key = ? AND token = ? AND token > 0`,
    holders: `SELECT key, owner, token, expires FROM ${data} WHERE expires > 0 AND ${range} ORDER BY key`,
    owners: `SELECT DISTINCT owner FROM ${data} WHERE expires > 1`,
    expire: `UPDATE ${data} SET expires = 1 WHERE owner = ? AND expires > 1 RETURNING key`,
    dropLease: `UPDATE ${data} SET owner = '', token = 0, expires = 0 WHERE key = ?`,
  };
}

/** The file for volatile messages, separate from the store. */
export const createVolatileFile = `
  BEGIN IMMEDIATE;
  CREATE TABLE IF NOT EXISTS log_end (id INTEGER PRIMARY KEY CHECK (id = 1), position INTEGER NOT NULL);
  INSERT OR IGNORE INTO log_end VALUES (1, 0);
  CREATE TABLE IF NOT EXISTS messages (position INTEGER PRIMARY KEY, sender TEXT NOT NULL, body TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS listeners (id TEXT NOT NULL, channel TEXT NOT NULL, expires INTEGER NOT NULL, PRIMARY KEY (id, channel)) WITHOUT ROWID;
  COMMIT;
`;

// A listener that expires too far in the future announced itself before the clock was set back.
export const volatileSql = {
  version: 'PRAGMA data_version',
  end: 'SELECT position FROM log_end',
  grow: 'UPDATE log_end SET position = position + ? RETURNING position',
  append: 'INSERT INTO messages (position, sender, body) VALUES (?, ?, ?)',
  readAfter: 'SELECT position, body FROM messages WHERE position > ? AND sender <> ? ORDER BY position',
  forgetMessages: 'DELETE FROM messages',
  forgetMessagesUpTo: 'DELETE FROM messages WHERE position <= ?',
  announce:
    'INSERT INTO listeners (id, channel, expires) VALUES (?, ?, ?) ON CONFLICT (id, channel) DO UPDATE SET expires = excluded.expires',
  withdraw: 'DELETE FROM listeners WHERE id = ? AND channel = ?',
  withdrawAll: 'DELETE FROM listeners WHERE id = ?',
  forgetListeners: 'DELETE FROM listeners WHERE expires NOT BETWEEN ? AND ?',
  anyListener: 'SELECT 1 FROM listeners LIMIT 1',
  channelsOfOthers: 'SELECT DISTINCT channel FROM listeners WHERE id <> ? AND expires BETWEEN ? AND ?',
} as const;

/** Prepares each statement on first use, because some refer to tables that a collection may not have. */
export function prepareLazily<Name extends string>(
  database: DatabaseSync,
  sql: Readonly<Record<Name, string>>,
  rows: 'objects' | 'arrays' = 'objects',
): (name: Name) => StatementSync {
  const prepared = new Map<Name, StatementSync>();
  return (name) => {
    let statement = prepared.get(name);
    if (statement === undefined) {
      prepared.set(name, (statement = database.prepare(sql[name])));
      statement.setReturnArrays(rows === 'arrays');
    }
    return statement;
  };
}

export type StoreStatements = (name: keyof typeof storeSql) => StatementSync;
export type CollectionStatements = (name: CollectionStatement) => StatementSync;
