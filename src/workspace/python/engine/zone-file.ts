// The data of a time zone in the form Python's zoneinfo reads (RFC 9636), made from what the host knows of time zones. So there is
// one truth about them, and nothing to keep up to date here.

const firstYear = 1900;
const lastYear = 2099;
const day = 86_400;
/** Offsets are looked at this often, then the moment of the change is searched for between two that differ. */
const stride = 20 * day;

interface Local {
  readonly offset: number;
  readonly name: string;
  readonly isSummer: boolean;
}

const files = new Map<string, Uint8Array | undefined>();

/** The file of a zone, such as `Europe/Warsaw`, or undefined if there is none of that name. */
export function zoneFile(zone: string): Uint8Array | undefined {
  if (!files.has(zone)) files.set(zone, make(zone));
  return files.get(zone);
}

/** The names of all zones. */
export function zoneNames(): string[] {
  return [...new Set([...Intl.supportedValuesOf('timeZone'), 'UTC'])].toSorted();
}

function make(zone: string): Uint8Array | undefined {
  if (!/^[A-Za-z0-9_+\-/]{1,64}$/.test(zone)) return undefined;
  let offsets: Intl.DateTimeFormat;
  try {
    offsets = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  } catch {
    return undefined;
  }
  const changes = changesOf((moment) => offsetOf(partOf(offsets, moment)));
  const nameOf = namesOf(zone, changes);
  return encode(
    changes.slice(1).map(({ moment, offset }, index) => ({
      moment,
      local: { offset, name: nameOf(moment, offset), isSummer: isSummer(changes, index + 1) },
    })),
    { offset: changes[0]?.offset ?? 0, name: nameOf(seconds(firstYear), changes[0]?.offset ?? 0), isSummer: false },
  );
}

/** Summer time lasts less than a year, and local time is behind it before and after. */
function isSummer(changes: readonly Change[], index: number): boolean {
  const [before, now, after] = [changes[index - 1], changes[index], changes[index + 1]];
  if (before === undefined || now === undefined || after === undefined) return false;
  return after.moment - now.moment < 366 * day && now.offset > Math.min(before.offset, after.offset);
}

interface Change {
  readonly moment: number;
  readonly offset: number;
}

/** The offset at the beginning, and each moment from which on there is another. */
function changesOf(offsetAt: (moment: number) => number): Change[] {
  let before = offsetAt(seconds(firstYear));
  const changes: Change[] = [{ moment: seconds(firstYear), offset: before }];
  for (let moment = seconds(firstYear); moment < seconds(lastYear + 1); moment += stride) {
    const after = offsetAt(moment + stride);
    if (before === after) continue;
    let low = moment;
    let high = moment + stride;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (offsetAt(middle) === before) low = middle;
      else high = middle;
    }
    changes.push({ moment: high, offset: after });
    before = after;
  }
  return changes;
}

/** Names of local times. The host knows them since 1970; before, an offset is called what it was called later. */
function namesOf(zone: string, changes: readonly Change[]): (moment: number, offset: number) => string {
  // Each region has names for its own zones; the others are told by their offset.
  const formats = ['en-US', 'en-GB', 'en-AU', 'en-NZ', 'en-IN', 'en-ZA', 'ja-JP'].map(
    (region) => new Intl.DateTimeFormat(region, { timeZone: zone, timeZoneName: 'short' }),
  );
  const nameAt = (moment: number): string | undefined =>
    formats.map((format) => partOf(format, moment)).find((name) => /^[A-Z]{2,5}$/.test(name));
  const later = new Map<number, string>();
  for (const { moment, offset } of [
    ...changes,
    { moment: seconds(2020), offset: offsetOfChange(changes, seconds(2020)) },
  ]) {
    const name = moment < 0 ? undefined : nameAt(moment);
    if (name !== undefined) later.set(offset, zone === 'UTC' || zone === 'Etc/UTC' ? 'UTC' : name);
  }
  return (moment, offset) => (moment < 0 ? undefined : nameAt(moment)) ?? later.get(offset) ?? numberName(offset);
}

function offsetOfChange(changes: readonly Change[], moment: number): number {
  return changes.findLast((change) => change.moment <= moment)?.offset ?? 0;
}

function isSame(first: Local, second: Local): boolean {
  return first.offset === second.offset && first.name === second.name && first.isSummer === second.isSummer;
}

function partOf(format: Intl.DateTimeFormat, moment: number): string {
  return format.formatToParts(moment * 1000).find(({ type }) => type === 'timeZoneName')?.value ?? '';
}

function offsetOf(text: string): number {
  const match = /GMT([+-])(\d+)(?::(\d+))?(?::(\d+))?/.exec(text);
  if (match === null) return 0;
  const size = Number(match[2]) * 3600 + Number(match[3] ?? 0) * 60 + Number(match[4] ?? 0);
  return match[1] === '-' ? -size : size;
}

function numberName(offset: number): string {
  const minutes = Math.round(Math.abs(offset) / 60);
  const text = `${String(Math.floor(minutes / 60)).padStart(2, '0')}${minutes % 60 === 0 ? '' : String(minutes % 60).padStart(2, '0')}`;
  return `${offset < 0 ? '-' : '+'}${text}`;
}

function seconds(year: number): number {
  return Date.UTC(year, 0, 1) / 1000;
}

/** Version 2 of the form: an empty part of version 1, then the data in 64 bits, then no rule for later years. */
function encode(changes: readonly { moment: number; local: Local }[], first: Local): Uint8Array {
  const locals = [first];
  const indices = changes.map(({ local }) => {
    const found = locals.findIndex((one) => isSame(one, local));
    return found >= 0 ? found : locals.push(local) - 1;
  });
  const names = [...new Set(locals.map(({ name }) => name))];
  const text = names.map((name) => `${name}\0`).join('');

  const moments = Buffer.alloc(changes.length * 8);
  for (const [index, { moment }] of changes.entries()) moments.writeBigInt64BE(BigInt(moment), index * 8);
  const types = Buffer.alloc(locals.length * 6);
  for (const [index, { offset, name, isSummer: summer }] of locals.entries()) {
    types.writeInt32BE(offset, index * 6);
    types.writeUInt8(summer ? 1 : 0, index * 6 + 4);
    types.writeUInt8(text.indexOf(`${name}\0`), index * 6 + 5);
  }
  const body = [moments, Buffer.from(indices), types, Buffer.from(text, 'latin1'), Buffer.from('\n\n')];
  return Buffer.concat([header(0, 1, 1), Buffer.alloc(7), header(changes.length, locals.length, text.length), ...body]);
}

function header(changes: number, types: number, characters: number): Buffer {
  const bytes = Buffer.alloc(44);
  bytes.write('TZif2', 'latin1');
  for (const [index, count] of [0, 0, 0, changes, types, characters].entries())
    bytes.writeUInt32BE(count, 20 + index * 4);
  return bytes;
}
