// The SQL of scans. A page ends after a number of rows or bytes. Bytes are summed from the stored sizes, so values beyond
// the end of the page are never fetched.

/**
 * `latest`: the current entries. `recent`: at a revision close to the head; costs what was replaced since then, found by
 * its `until`. `past`: at any revision; steps from key to key through the superseded entries, two index probes for each
 * key whatever the number of its versions.
 */
export type ScanKind = 'latest' | 'recent' | 'past';

export interface ScanText {
  readonly meta: string;
  readonly current: string;
  readonly past: string;
  /** The column that holds the value as written. */
  readonly stored: string;
  readonly kind: ScanKind;
  readonly reverse: boolean;
}

// Parameters: $1 lower, $2 upper, $3 rows wanted and one more, $4 bytes, $5 the revision.
export function scanSql({ meta, current, past, stored, kind, reverse }: ScanText): string {
  const order = reverse ? 'key desc' : 'key';
  const columns = `key, revision, size, checksum, ${stored} as stored`;
  const inRange = 'key >= $1 and key < $2';
  const present = (condition: string): string =>
    `select ${columns} from ${current} where ${inRange}${condition} order by ${order} limit $3`;
  const both = (old: string, condition = ''): string =>
    `select * from ((${present(` and revision <= $5${condition}`)}) union all (${old})) as visible order by ${order} limit $3`;
  // When the walk has filled the page, current entries beyond its end need not be read, however many are too new.
  const end = '(select key from walk where found >= $3 limit 1)';
  const upToEnd = reverse ? ` and key >= coalesce(${end}, $1)` : ` and key <= coalesce(${end}, $2)`;
  const texts: Readonly<Record<ScanKind, () => string>> = {
    latest: () => present(''),
    recent: () =>
      `with replaced as materialized (
         select ${columns} from ${past} where until > $5 and revision <= $5
       ) ${both(`select * from replaced where ${inRange} order by ${order} limit $3`)}`,
    past: () =>
      `${walk(past, reverse)} ${both(`select ${columns} from walk join ${past} using (key, until)`, upToEnd)}`,
  };
  return `
    select head, horizon, key, revision, checksum, stored, followed
    from ${meta} left join lateral (
      select key, revision, checksum, stored, followed
      from (
        select key, revision, checksum, stored,
          sum(size) over (order by ${order} rows unbounded preceding) - size as before,
          lead(true, 1, false) over (order by ${order}) as followed
        from (${texts[kind]()}) as page
      ) as measured
      where before < $4 order by ${order}
    ) as rows on true
    where singleton`;
}

// One step per key that has superseded entries, until as many of them as the page needs were current at the revision.
function walk(past: string, reverse: boolean): string {
  const order = reverse ? 'key desc' : 'key';
  const step = (from: string): string => `
    cross join lateral (select key from ${past} where ${from} order by ${order} limit 1) as next
    left join lateral (
      select until, revision from ${past} where key = next.key and until > $5 order by until limit 1
    ) as version on true`;
  const found = '(version.revision <= $5) is true';
  const until = `case when ${found} then version.until end`;
  return `with recursive walk (key, until, found) as (
      select next.key, ${until}, (${found})::integer from (select) as start ${step('key >= $1 and key < $2')}
    union all
      select next.key, ${until}, walk.found + (${found})::integer
      from walk ${step(reverse ? 'key < walk.key and key >= $1' : 'key > walk.key and key < $2')}
      where walk.found < $3
    )`;
}
