// How times, sizes and amounts are written.
const units: readonly (readonly [number, string])[] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'm'],
  [1000, 's'],
];

/** `3 d`, `2 h 5 m`, `41 s`: a duration as people say it. */
export function duration(milliseconds: number): string {
  if (!Number.isFinite(milliseconds)) return '';
  if (milliseconds < 1000) return `${Math.max(0, Math.round(milliseconds))} ms`;
  if (milliseconds < 10_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  const first = units.findIndex(([size]) => milliseconds >= size);
  const [size, unit] = units[first] ?? [1000, 's'];
  const whole = Math.floor(milliseconds / size);
  const [smaller, smallerUnit] = units[first + 1] ?? [0, ''];
  const rest = smaller === 0 ? 0 : Math.floor((milliseconds % size) / smaller);
  return whole < 10 && rest > 0 ? `${whole} ${unit} ${rest} ${smallerUnit}` : `${whole} ${unit}`;
}

/** How long ago, without milliseconds that would flicker. */
export function age(time: string | number, now: number): string {
  const passed = now - new Date(time).getTime();
  return passed < 1000 ? 'now' : duration(Math.floor(passed / 1000) * 1000).replace('.0 s', ' s');
}

export function clockTime(time: string | number): string {
  const date = new Date(time);
  const pad = (number: number, length = 2): string => String(number).padStart(length, '0');
  return `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}.${pad(date.getMilliseconds(), 3)}`;
}

export function fullTime(time: string | number): string {
  return new Date(time).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
}

export function count(number: number): string {
  return number.toLocaleString('en-US');
}

export function bytes(number: number): string {
  if (number < 1024) return `${number} B`;
  if (number < 1024 ** 2) return `${(number / 1024).toFixed(1)} KB`;
  if (number < 1024 ** 3) return `${(number / 1024 ** 2).toFixed(1)} MB`;
  return `${(number / 1024 ** 3).toFixed(2)} GB`;
}

export function cost(amount: number | undefined): string {
  if (amount === undefined || amount === 0) return '';
  if (amount < 0.01) return `$${amount.toFixed(4)}`;
  return `$${amount.toFixed(2)}`;
}

interface Loaded {
  readonly items: readonly unknown[];
  readonly isMore: boolean;
}

/** How many there are of a list, as far as it is loaded. */
export function countOf({ items, isMore }: Loaded): string {
  return `${count(items.length)}${isMore ? '+' : ''}`;
}

export function pluralOf(list: Loaded, one: string): string {
  return `${countOf(list)} ${one}${list.items.length === 1 && !list.isMore ? '' : 's'}`;
}

/** `workflowId` as people read it: `workflow id`. */
export function words(name: string): string {
  return name.replaceAll(/[a-z][A-Z]/g, (pair) => `${pair[0] ?? ''} ${pair[1]?.toLowerCase() ?? ''}`);
}

export function plural(number: number, one: string, many = `${one}s`): string {
  return `${count(number)} ${number === 1 ? one : many}`;
}

/** An id that is too long for its place, with its beginning and its end. */
export function shortId(id: string): string {
  return id.length <= 20 ? id : `${id.slice(0, 8)}…${id.slice(-8)}`;
}
