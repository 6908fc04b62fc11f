// All SQL the engine runs; schema.ts has what creates the tables. Every read is one statement that also returns head and
// horizon, so that a page and its revision come from the same snapshot.
import type { KnownCollection } from '../engine/engine.ts';
import { scanSql, type ScanKind } from './reading/scan-sql.ts';
import { pastTableName, tableName } from './schema.ts';

type Statements<Verb extends string> = Readonly<Record<Verb, Statement>>;

export interface Statement {
  /** Prepared once per connection under this name. */
  readonly name: string;
  readonly text: string;
}

/** Stand for facts that a commit does not depend on, and for the token of an item that nobody holds. */
export const anyRevision = -1;
export const anyToken = 0;
export const noLease = -1;

// The server's clock in milliseconds, plus an offset that only tests set.
const now = (offset: string): string => `(extract(epoch from clock_timestamp()) * 1000)::bigint + ${offset}::bigint`;

// The head under which a commit writes: revisions are sent as distances from it. A negative one means that something was not
// as the plan expected, and every write of the batch does nothing. It belongs to the transaction.
const baseSetting = 'statek.base';
const base = `current_setting('${baseSetting}')::bigint`;
const isVerified = `${base} >= 0`;
const refuted = `set_config('${baseSetting}', '-1', true)`;

/** More changes than this since a range was read are not searched under the commit lock. */
const maxSearchedRevisions = 100;

/** Statements about the whole store. */
export type StoreStatements = Statements<
  | 'revision'
  | 'begin'
  | 'verifyRanges'
  | 'collections'
  | 'addCollection'
  | 'readLog'
  | 'append'
  | 'batchAfter'
  | 'raiseHorizon'
  | 'pruneLog'
  | 'publish'
  | ('snapshotState' | 'loadLog' | 'loadState' | 'countLog' | 'size')
>;

export function storeStatements(schema: string): StoreStatements {
  const meta = tableName(schema, '_meta');
  const log = tableName(schema, '_log');
  const collections = tableName(schema, '_collections');
  const token = tableName(schema, '_lease_token');
  return named('', {
    revision: `select head from ${meta} where singleton`,
    /** Begins the batch of a commit, under the lock; $1 is the head it needs, or negative if any will do. */
    begin: `
      select head, horizon, set_config('${baseSetting}', (case when $1::bigint in (-1, head) then head else -1 end)::text, true)
      from ${meta} where singleton`,
    verifyRanges: verifyRangesSql(meta, log),
    collections: `select id, name, holds, keeps, leased from ${collections} order by id`,
    addCollection: `
      insert into ${collections} (id, name, holds, keeps, leased)
      select coalesce(max(id), 0) + 1, $1, $2, $3, $4 from ${collections}
      returning id`,
    readLog: `
      select head, horizon, revision, checksum, changes
      from ${meta} left join lateral (
        select revision, checksum, changes from ${log} where revision > $1 order by revision limit $2
      ) as rows on true
      where singleton`,
    /** Ends every commit: the log rows, the new head, one wake-up for followers, and no timeout for COMMIT itself. */
    append: `
      with appended as (
        insert into ${log} (revision, batch, checksum, changes)
        select ${base} + distance, $4::uuid, (checksum # ((${base} + distance) & 4294967295)) + 4294967296, changes
        from unnest($1::bigint[], $2::bigint[], $3::bytea[]) as rows (distance, checksum, changes)
        where ${isVerified}
      )
      update ${meta} set head = ${base} + $5::bigint where singleton and ${isVerified}
      returning pg_notify($6, ''), set_config('statement_timeout', '0', true)`,
    /** The last revision of a batch, if it was committed; $1 is a revision before it. */
    batchAfter: `
      select head, horizon, (
        select revision from ${log} where revision > $1 and batch = $2::uuid order by revision desc limit 1
      ) from ${meta} where singleton`,
    raiseHorizon: `
      update ${meta} set horizon = greatest(horizon, least($1::bigint, head)) where singleton returning horizon`,
    pruneLog: `
      delete from ${log} where revision = any (array(
        select revision from ${log} where revision <= $1 order by revision limit $2
      ))`,
    /**
     * Sends volatile messages. A transaction that notifies holds a global lock until it has committed, so this one does not
     * wait for the disk. It sends nothing when the notification queue of the server fills up, because a full queue makes
     * commits fail.
     */
    publish: `
      select set_config('synchronous_commit', 'off', true), pg_notify($1, payload)
      from unnest($2::text[]) with ordinality as packets (payload, n)
      where (select pg_notification_queue_usage()) < 0.25
      order by n`,
    snapshotState: `
      select head, horizon, (select case when is_called then last_value else 0 end from ${token})
      from ${meta} where singleton`,
    countLog: `select count(*) from ${log}`,
    /** Rows with their revisions, while a store is filled. */
    loadLog: `
      insert into ${log} (revision, batch, checksum, changes)
      select revision, $4::uuid, (checksum # (revision & 4294967295)) + 4294967296, changes
      from unnest($1::bigint[], $2::bigint[], $3::bytea[]) as rows (revision, checksum, changes)`,
    /** Ends the filling of a store. */
    loadState: `
      update ${meta} set head = $1::bigint, horizon = $2::bigint where singleton
      returning setval('${token}', greatest($3::bigint, 1), $3::bigint > 0), pg_notify($4, '')`,
    size: `
      select coalesce(sum(pg_total_relation_size(pg_class.oid)), 0)::bigint
      from pg_class join pg_namespace on pg_namespace.oid = relnamespace
      where nspname = $1 and relkind in ('r', 'S')`,
  });
}

/** Statements about one collection; `past…` only if it keeps versions, leases only in work collections. */
export type CollectionStatements = Statements<
  | (
      | 'read'
      | 'readAt'
      | 'revisions'
      | 'verify'
      | 'put'
      | 'remove'
      | 'putPast'
      | 'prunePast'
      | 'inspect'
      | 'inspectPast'
    )
  | ('page' | 'pagePast' | 'readStored' | 'readPast' | 'count' | 'countPast' | 'load' | 'loadRemove' | 'loadPrune')
  | ('scan' | 'scanReverse' | 'scanRecent' | 'scanRecentReverse' | 'scanPast' | 'scanPastReverse')
  | ('lock' | 'verifyLeases' | 'claim' | 'renew' | 'holders' | 'dead' | 'expire' | 'unlease')
>;

export function collectionStatements(schema: string, { id, definition }: KnownCollection): CollectionStatements {
  const { name, holds, keeps } = definition;
  const meta = tableName(schema, '_meta');
  const current = tableName(schema, name);
  const past = pastTableName(schema, name);
  const records = holds === 'records';
  const stored = records ? 'exact' : 'value';
  const columns = `key, parts, revision, size, checksum, value${records ? ', exact' : ''}`;
  const columnsOf = (table: string): string => columns.replaceAll(/\w+/g, (column) => `${table}.${column}`);
  const scan = (kind: ScanKind, reverse: boolean): string => scanSql({ meta, current, past, stored, kind, reverse });

  // Rows arrive as one array per column. A record that jsonb accepts unchanged is sent once, with an empty readable form.
  const incoming = records
    ? `select key, parts::jsonb, ${base} + distance as revision, size, checksum,
         coalesce(nullif(readable, ''), exact)::jsonb as value, exact, ${base} + until_distance as until
       from unnest($1::bytea[], $2::text[], $3::bigint[], $4::integer[], $5::bigint[], $6::bigint[], $7::text[], $8::text[])
         as rows (key, parts, distance, size, checksum, until_distance, exact, readable)
       where ${isVerified}`
    : `select key, parts::jsonb, ${base} + distance as revision, size, checksum, value, ${base} + until_distance as until
       from unnest($1::bytea[], $2::text[], $3::bigint[], $4::integer[], $5::bigint[], $6::bigint[], $7::bytea[])
         as rows (key, parts, distance, size, checksum, until_distance, value)
       where ${isVerified}`;
  const replace = columns
    .split(', ')
    .slice(2)
    .map((column) => `${column} = excluded.${column}`)
    .join(', ');
  const upsert = `insert into ${current} (${columns}) select ${columns} from incoming on conflict (key) do update set ${replace}`;

  return named(`_${id}`, {
    read: `
      select head, horizon, n, revision, checksum, stored
      from ${meta} left join lateral (
        select n, revision, checksum, ${stored} as stored
        from unnest($1::bytea[]) with ordinality as wanted (key, n) join ${current} using (key)
      ) as found on true
      where singleton`,
    readAt: `
      select head, horizon, n, revision, checksum, stored
      from ${meta} left join lateral (
        select n, revision, checksum, ${stored} as stored
        from unnest($1::bytea[]) with ordinality as wanted (key, n) join ${current} using (key)
        where revision <= $2
        union all
        select n, revision, checksum, stored
        from unnest($1::bytea[]) with ordinality as wanted (key, n) cross join lateral (
          select revision, checksum, ${stored} as stored
          from ${past} where key = wanted.key and until > $2 order by until limit 1
        ) as version
        where revision <= $2
      ) as found on true
      where singleton`,
    scan: scan('latest', false),
    scanReverse: scan('latest', true),
    scanRecent: scan('recent', false),
    scanRecentReverse: scan('recent', true),
    scanPast: scan('past', false),
    scanPastReverse: scan('past', true),

    revisions: `
      select n, revision
      from unnest($1::bytea[]) with ordinality as wanted (key, n) join ${current} using (key)`,
    /** The keys whose revision is not the expected one. */
    verify: `
      select n, coalesce(revision, 0), ${refuted}
      from unnest($1::bytea[], $2::bigint[]) with ordinality as wanted (key, expected, n) left join ${current} using (key)
      where coalesce(revision, 0) <> expected`,
    put:
      keeps === 'latest'
        ? `with incoming as (${incoming}) ${upsert}`
        : `with incoming as (${incoming}), replaced as (
             insert into ${past} (until, ${columns})
             select incoming.until, ${columnsOf('old')} from incoming join ${current} as old on old.key = incoming.key
           ) ${upsert}`,
    remove:
      keeps === 'latest'
        ? `delete from ${current} where key = any ($1::bytea[]) and ${isVerified}`
        : `with removed as (
             delete from ${current} as old
             using unnest($1::bytea[], $2::bigint[]) as gone (key, distance) where old.key = gone.key and ${isVerified}
             returning ${base} + gone.distance as until, ${columnsOf('old')}
           ) insert into ${past} (until, ${columns}) select until, ${columns} from removed`,
    /** Versions superseded within the same group. */
    putPast: `insert into ${past} (until, ${columns}) select until, ${columns} from (${incoming}) as incoming`,
    prunePast: `delete from ${past} where ctid = any (array(select ctid from ${past} where until <= $1 limit $2))`,

    // Always locks rows in key order, to avoid deadlocks.
    lock: `
      select n, revision, lease_token
      from unnest($1::bytea[]) with ordinality as wanted (key, n) join ${current} as item using (key)
      order by item.key for update of item`,
    /** Locks the keys, and returns those whose revision or token is not the expected one. */
    verifyLeases: `
      with wanted as materialized (
        select * from unnest($1::bytea[], $2::bigint[], $3::bigint[]) with ordinality as wanted (key, expected, token, n)
      ),
      locked as materialized (
        select n, revision, lease_token from wanted join ${current} as item using (key) order by item.key for update of item
      )
      select n, coalesce(revision, 0), coalesce(lease_token, ${noLease}), ${refuted}
      from wanted left join locked using (n)
      where (expected <> ${anyRevision} and coalesce(revision, 0) <> expected)
        or (token <> ${anyToken} and coalesce(lease_token, ${noLease}) <> token)`,
    // Free items and items with an expired lease each have an index; takes the first keys of both.
    claim: `
      with clock as materialized (select ${now('$6')} as now),
      free as materialized (
        select key from ${current} as item where free_key >= $1 and free_key < $2
        order by free_key limit $3 for update of item skip locked
      ),
      ripe as materialized (select key from ${current} where lease_until <= (select now from clock)),
      expired as materialized (
        select item.key from ripe join ${current} as item using (key)
        where key >= $1 and key < $2 and lease_until <= (select now from clock)
        order by key limit $3 for update of item skip locked
      ),
      chosen as materialized (
        select key, ran_out from (select key, false as ran_out from free union all select key, true from expired) as either
        order by key limit $3
      )
      update ${current} as item
      set lease_owner = $4, lease_token = nextval('${tableName(schema, '_lease_token')}'),
          lease_until = (select now from clock) + $5::bigint
      from chosen where item.key = chosen.key
      returning item.key, revision, checksum, ${stored}, lease_token, lease_until, chosen.ran_out`,
    renew: `
      with clock as materialized (select ${now('$4')} as now),
      held as materialized (
        select item.key from unnest($1::bytea[], $2::bigint[]) as wanted (key, token)
        join ${current} as item on item.key = wanted.key and item.lease_token = wanted.token
        order by item.key for update of item
      )
      update ${current} as item set lease_until = (select now from clock) + $3::bigint
      from held where item.key = held.key
      returning item.key, lease_token, lease_until`,
    holders: `
      with clock as materialized (select ${now('$3')} as now)
      select key, lease_owner, lease_token, lease_until, lease_until <= (select now from clock) from ${current}
      where lease_until is not null and key >= $1 and key < $2 order by key`,
    /** Owners whose session lock is not held; $1 is the pattern of owners that have a session. */
    dead: `
      select distinct lease_owner from ${current} as item
      where lease_until > 1 and lease_owner ~ $1 and not exists (
        select from pg_locks
        where locktype = 'advisory' and objsubid = 1
          and database = (select oid from pg_database where datname = current_database())
          and ((classid::bigint << 32) | objid::bigint) = ('x' || right(lease_owner, 16))::bit(64)::bigint
      )`,
    expire: `update ${current} set lease_until = 1 where lease_owner = any ($1::text[]) and lease_until > 1`,
    unlease: `
      update ${current} as item set lease_owner = null, lease_token = null, lease_until = null
      from unnest($1::bytea[], $2::bigint[]) as gone (key, token)
      where item.key = gone.key and item.lease_token = gone.token and ${isVerified}`,

    page: inspectSql(current, '0::bigint', stored, false),
    pagePast: inspectSql(past, 'until', stored, false),
    readStored: `
      select key, 0::bigint, revision, checksum, ${stored} from unnest($1::bytea[]) as wanted (key) join ${current} using (key)`,
    readPast: `
      select key, until, revision, checksum, ${stored}
      from unnest($1::bytea[], $2::bigint[]) as wanted (key, until) join ${past} using (key, until)`,
    count: `select count(*) from ${current}`,
    countPast: `select count(*) from ${past}`,
    /** Rows with their revisions, while a store is filled; what they replace is not kept. */
    load: `with incoming as (${incoming}) ${upsert}`,
    loadRemove: `delete from ${current} where key = any ($1::bytea[])`,
    loadPrune: `delete from ${past} where until <= $1`,

    inspect: inspectSql(current, '0::bigint', stored, records),
    inspectPast: inspectSql(past, 'until', stored, records),
  });
}

// Searches the log for changes in ranges since they were read, and returns the ranges that changed, or of which that is not
// known. It decodes changes as engine/log.ts encodes them, as far as numbers have one or two bytes.
function verifyRangesSql(meta: string, log: string): string {
  return `
    with recursive ranges as materialized (
      select * from unnest($1::integer[], $2::bytea[], $3::bytea[], $4::bigint[]) with ordinality
        as ranges (collection, lower_key, upper_key, since, n)
    ),
    recent as materialized (
      select revision, changes from ${log} where revision > (select min(since) from ranges)
      order by revision limit ${maxSearchedRevisions + 1}
    ),
    found (revision, changes, position, collection, kind, key) as (
      select revision, changes, 0, -1, -1, ''::bytea from recent
      union all
      select revision, changes, case when is_legible then start + size else length(changes) end,
        case when is_legible then in_collection else -2 end,
        case when is_legible then get_byte(changes, kind_at) else -1 end,
        case when is_legible then substr(changes, start + 1, size) else ''::bytea end
      from found,
        lateral (select get_byte(changes, position) as first) as read_first,
        lateral (
          select case when first < 128 then first else (first & 127) | (get_byte(changes, position + 1) << 7) end as in_collection,
            position + case when first < 128 then 1 else 2 end as kind_at,
            case when first < 128 then true else get_byte(changes, position + 1) < 128 end as is_legible
        ) as read_collection,
        lateral (select get_byte(changes, kind_at + 1) as low) as read_low,
        lateral (
          select case when low < 128 then low else (low & 127) | (get_byte(changes, kind_at + 2) << 7) end as size,
            kind_at + case when low < 128 then 2 else 3 end as start
        ) as read_size
      where position < length(changes)
    )
    select n, has_changed, ${refuted}
    from ranges
      cross join (
        select head, horizon, (select count(*) > ${maxSearchedRevisions} from recent)
          or exists (select from found where collection = -2) as is_unknown
        from ${meta} where singleton
      ) as state
      cross join lateral (
        select exists (
          select from found
          where revision > since and found.collection = ranges.collection and kind <> 2
            and key >= lower_key and key < upper_key
        ) as has_changed
      ) as search
    where has_changed or is_unknown or since < horizon or since > head`;
}

// Reads a whole table in pages of a few megabytes, with all columns as stored, for verification.
function inspectSql(table: string, until: string, stored: string, records: boolean): string {
  return `
    select key, until, revision, checksum, stored, readable
    from (
      select *, sum(size) over (order by key, until rows unbounded preceding) - size as before
      from (
        select key, ${until} as until, revision, size, checksum, ${stored} as stored, ${records ? 'value' : 'null'} as readable
        from ${table} where ${until === 'until' ? '(key, until) > ($1, $2)' : 'key > $1 and $2::bigint >= 0'}
        order by key, until limit 1000
      ) as page
    ) as measured
    where before < 4194304 order by key, until`;
}

function named<Verb extends string>(suffix: string, texts: Readonly<Record<Verb, string>>): Statements<Verb> {
  const entries = Object.entries<string>(texts).map(([verb, text]) => [
    verb,
    { name: `statek_${verb}${suffix}`, text },
  ]);
  return Object.fromEntries(entries) as Statements<Verb>;
}
