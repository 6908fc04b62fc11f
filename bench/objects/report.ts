// The figures of durable objects, with what they are to be.
import { percentile, round, type Measurement } from '../support/measurement.ts';
import type { CommitFigures, ElementFigures, Percentiles } from './commits.ts';
import type { GuestFigures } from './guest.ts';
import type { Sizes } from './load.ts';
import type { QueryFigures } from './queries.ts';

export interface OpenFigures {
  readonly open: number;
  readonly read: number;
  readonly cpu: number;
}

export interface ReadAllFigures {
  readonly perSecond: number;
  /** MiB of live objects, after collecting garbage. */
  readonly heapGrowth: number;
  readonly peakGrowth: number;
  readonly peak: number;
}

export interface Figures {
  readonly sizes: Sizes;
  readonly loadingSeconds: number;
  readonly handLoadingSeconds: number;
  readonly opens: readonly OpenFigures[];
  readonly handOpen: number;
  readonly readAll: ReadAllFigures;
  readonly queries: QueryFigures;
  readonly commits: CommitFigures;
  readonly list: ElementFigures;
  readonly map: ElementFigures;
  readonly guest: GuestFigures;
}

export function rowsOf(figures: Figures): Measurement[] {
  const { sizes, loadingSeconds, handLoadingSeconds, opens, handOpen, readAll, commits } = figures;
  const people = sizes.people.toLocaleString('en-US');
  const openAndRead = percentile(
    opens.map(({ open, read }) => open + read),
    0.5,
  );
  const toRaw = { p50: commits.field.p50 / commits.raw.p50, p99: commits.field.p99 / commits.raw.p99 };
  return [
    { figure: 'durability', value: 'synchronous=FULL, WAL', unit: '', what: 'sync settings of both sides' },
    figure('objects', sizes.people, '', 'objects of five fields, each with an index entry'),
    figure('loadSeconds', loadingSeconds, 's', 'loading them in transactions of 2,000, and the large list and map'),
    figure('loadByHandSeconds', handLoadingSeconds, 's', 'by hand: loading the same as rows'),
    {
      ...figure(
        'openAndReadMs',
        openAndRead,
        'ms',
        `opening a store of ${people} and reading one, in a new process, p50`,
      ),
      goal: { text: '< 50', met: openAndRead < 50 },
    },
    figure('openAndReadBestMs', Math.min(...opens.map(({ open, read }) => open + read)), 'ms', 'the same, the fastest'),
    figure(
      'openAndReadCpuMs',
      percentile(
        opens.map(({ cpu }) => cpu),
        0.5,
      ),
      'ms',
      'the same, CPU time of its thread, p50',
    ),
    figure('openAndReadByHandMs', handOpen, 'ms', 'by hand: opening the file and reading a row, p50'),
    ...percentileRows('fieldCommit', commits.field, 'one field changed and committed'),
    ...percentileRows('rawCommit', commits.raw, 'one small commit of the store itself'),
    ...percentileRows('handCommit', commits.hand, 'by hand: one row updated and committed'),
    {
      ...figure('fieldToRawP50', toRaw.p50, '×', 'a field against a small commit, p50'),
      goal: { text: '≤ 1.5', met: toRaw.p50 <= 1.5 },
    },
    {
      ...figure('fieldToRawP99', toRaw.p99, '×', 'a field against a small commit, p99'),
      goal: { text: '≤ 1.5', met: toRaw.p99 <= 1.5 },
    },
    figure('readAllPerSecond', readAll.perSecond, '/s', `reading a field of all ${people} objects, page by page`),
    {
      ...figure(
        'readAllHeapGrowthMb',
        readAll.heapGrowth,
        'MiB',
        'live memory this adds, with a cache of 64 MiB and a heap of 192 MiB at most',
      ),
      goal: { text: '≤ 64', met: readAll.heapGrowth <= 64 },
    },
    {
      ...figure(
        'readAllPeakGrowthMb',
        readAll.peakGrowth,
        'MiB',
        'resident memory this adds at its peak, garbage and SQLite’s 64 MiB of pages included',
      ),
      goal: { text: '≤ 128', met: readAll.peakGrowth <= 128 },
    },
    figure('readAllPeakRssMb', readAll.peak, 'MiB', 'resident memory of that process at its peak'),
    ...queryRows(figures.queries),
    ...elementRows('list', figures.list, `one element of a list of ${sizes.list.toLocaleString('en-US')} changed`),
    ...elementRows('map', figures.map, `one entry of a map of ${sizes.map.toLocaleString('en-US')} changed`),
    ...guestRows(figures.guest),
  ];
}

function queryRows({ range, tag, field }: QueryFigures): Measurement[] {
  return [
    figure('rangeColdMs', range.cold, 'ms', '100 objects by a range of the index, a field of each, mean (CPU time)'),
    figure('rangeWarmMs', range.warm, 'ms', 'the same again, in a new transaction'),
    figure('rangeByHandMs', range.hand, 'ms', 'by hand: 100 rows by range'),
    figure('tagFirstMs', tag.cold, 'ms', 'all objects with a rare tag, a field of each, the first time (CPU time)'),
    figure('tagWarmMs', tag.warm, 'ms', 'the same again, in a new transaction, mean'),
    figure('tagByHandMs', tag.hand, 'ms', 'by hand: the same rows by tag'),
    figure(
      'readColdUs',
      field.cold,
      'µs',
      'a field of an object in a new transaction, its row not in the cache (CPU time)',
    ),
    figure('readWarmUs', field.warm, 'µs', 'the same, its row in the cache'),
    figure('readByHandUs', field.hand, 'µs', 'by hand: a row by its id'),
  ];
}

function elementRows(name: string, { time, hand, rows, bytes }: ElementFigures, what: string): Measurement[] {
  return [
    ...percentileRows(`${name}Change`, time, `${what} and committed`),
    ...percentileRows(`${name}ChangeByHand`, hand, 'by hand: the same'),
    { ...figure(`${name}ChangeRows`, rows, 'rows', `${what}: rows written`), goal: { text: '≤ 2', met: rows <= 2 } },
    {
      ...figure(`${name}ChangeBytes`, bytes, 'B', `${what}: bytes of values written`),
      goal: { text: '≤ 16,384', met: bytes <= 16_384 },
    },
  ];
}

function guestRows({ field, write, call, make }: GuestFigures): Measurement[] {
  const names = {
    field: 'reading a field',
    write: 'setting a field',
    call: 'calling a method',
    make: 'making an object',
  };
  return Object.entries({ field, write, call, make }).flatMap(([name, { durable, plain }]) => [
    figure(
      `guest_${name}Us`,
      durable,
      'µs',
      `guest code: ${names[name as keyof typeof names]} of a durable object (CPU time)`,
    ),
    figure(`guest_${name}PlainUs`, plain, 'µs', 'the same of an ordinary object of the application'),
  ]);
}

function percentileRows(name: string, { p50, p99 }: Percentiles, what: string): Measurement[] {
  return [figure(`${name}P50Ms`, p50, 'ms', `${what}, p50`), figure(`${name}P99Ms`, p99, 'ms', `${what}, p99`)];
}

function figure(name: string, value: number, unit: string, what: string): Measurement {
  return { figure: name, value: round(value), unit, what };
}
