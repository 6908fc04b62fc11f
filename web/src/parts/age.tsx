// How long ago something was, counting on.
import type { JSX } from 'preact';
import { age, fullTime } from '../format.ts';
import { now } from '../live/clock.ts';

export function Age({ time }: { readonly time: string | number }): JSX.Element {
  return (
    <time dateTime={new Date(time).toISOString()} title={fullTime(time)}>
      {age(time, now.value)}
    </time>
  );
}
