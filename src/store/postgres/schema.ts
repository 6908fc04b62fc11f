// All SQL that creates tables. Tables of collections have the names of the collections, so that people find them; all
// others start with an underscore, which names of collections cannot.
import type { Collection } from '../collection.ts';

/** The current layout. A schema with a higher version is rejected, one with a lower version is migrated. */
export const formatVersion = 2;

/** Identifies the schema as ours, in `_meta`. */
export const application = 'statek';

export function tableName(schema: string, name: string): string {
  return `"${schema}"."${name}"`;
}

export function pastTableName(schema: string, name: string): string {
  return tableName(schema, `_${name}_past`);
}

/** `migrations[n]` brings a schema from format n to format n + 1. */
export const migrations: readonly ((schema: string) => string)[] = [createStore, addRevisionToChecksums];

// New rows of the log have another kind of checksum, which earlier versions would take for damage. Nothing is rewritten.
function addRevisionToChecksums(): string {
  return 'select';
}

function createStore(schema: string): string {
  const table = (name: string): string => tableName(schema, name);
  return `
    create schema if not exists "${schema}";

    create table ${table('_meta')} (
      singleton boolean primary key default true check (singleton),
      application text not null,
      format integer not null,
      head bigint not null,
      horizon bigint not null
    ) with (fillfactor = 10);
    insert into ${table('_meta')} (application, format, head, horizon) values ('${application}', 0, 0, 0);
    comment on table ${table('_meta')} is
      'One row about this Statek store. head: the latest revision; horizon: the oldest one that can still be read and followed from; format: the layout of these tables.';

    create table ${table('_collections')} (
      id integer primary key,
      name text not null unique,
      holds text not null check (holds in ('records', 'bytes')),
      keeps text not null check (keeps in ('latest', 'versions')),
      leased boolean not null
    );
    comment on table ${table('_collections')} is
      'The collections of this store. Each is a table of that name; one that keeps versions has a second table _<name>_past.';

    create table ${table('_log')} (
      revision bigint primary key,
      batch uuid not null,
      checksum bigint not null,
      changes bytea not null
    );
    comment on table ${table('_log')} is
      'One row per committed transaction, without gaps, naming the keys it changed (in a compact encoding). Rows of one batch became durable together.';

    create sequence ${table('_lease_token')};
    comment on sequence ${table('_lease_token')} is 'Fencing tokens: each claim takes the next one.';
  `;
}

/** The tables of one collection. */
export function createCollection(schema: string, { name, holds, keeps, leased }: Collection): string {
  const current = tableName(schema, name);
  const past = pastTableName(schema, name);
  const value = holds === 'records' ? 'value jsonb not null, exact text not null' : 'value bytea not null';
  const entry = `parts jsonb not null, revision bigint not null, size integer not null, checksum bigint not null, ${value}`;
  const leases = leased
    ? `, lease_owner text, lease_token bigint, lease_until bigint,
       free_key bytea generated always as (case when lease_until is null then key end) stored`
    : '';
  const statements = [
    `create table ${current} (key bytea primary key, ${entry}${leases})`,
    `comment on table ${current} is '${about(holds, keeps)} Read it as you like; change it only through Statek, which would not notice.'`,
    ...columnComments(current, holds),
  ];
  if (leased) {
    // Free items have a separate column, so that the query planner has only one index to choose for them.
    statements.push(
      `create index "_${name}_free" on ${current} (free_key) where free_key is not null`,
      `create index "_${name}_leased" on ${current} (lease_until) where lease_until is not null`,
      `comment on column ${current}.free_key is 'The key while nobody holds the item, for claims.'`,
      `comment on column ${current}.lease_token is 'The fencing token of the latest claim; null when the item was never claimed or was given back.'`,
      `comment on column ${current}.lease_until is 'When the lease runs out, in milliseconds since 1970: to_timestamp(lease_until / 1000.0).'`,
    );
  }
  if (keeps === 'versions') {
    statements.push(
      `create table ${past} (key bytea not null, until bigint not null, ${entry}, primary key (key, until))`,
      `create index "_${name}_past_until" on ${past} (until)`,
      `comment on table ${past} is 'Superseded entries of ${name}: each was current from revision to just before until. Pruning deletes the oldest.'`,
      ...columnComments(past, holds),
    );
  }
  // Bytes are already compressed where that is worthwhile.
  if (holds === 'bytes') {
    statements.push(`alter table ${current} alter column value set storage external`);
    if (keeps === 'versions') statements.push(`alter table ${past} alter column value set storage external`);
  }
  return statements.join(';\n');
}

function about(holds: Collection['holds'], keeps: Collection['keeps']): string {
  const what = holds === 'records' ? 'A Statek collection of JSON records.' : 'A Statek collection of byte strings.';
  return keeps === 'versions' ? `${what} Superseded entries are in the table of the same name with _…_past.` : what;
}

function columnComments(table: string, holds: Collection['holds']): string[] {
  const comments = {
    key: 'The key, encoded so that byte order is key order.',
    parts: 'The key for people: dates as ISO strings, bytes as hexadecimal, big integers as strings.',
    revision: 'The revision that wrote this entry.',
    size: 'The length of the value.',
    checksum: 'CRC-32 of the key and the value as written.',
    ...(holds === 'records' && {
      value: 'The record for queries. What jsonb cannot hold is shown as a sign that stands for it.',
      exact: 'The record exactly as written, members in their order; this is what Statek reads.',
    }),
  };
  return Object.entries(comments).map(([column, text]) => `comment on column ${table}.${column} is '${text}'`);
}
