// Where the page is: everything a person may want to send to a colleague is in the fragment of the address, filters included.
import { computed, signal } from '@preact/signals';
import { takeToken } from './api/token.ts';

// Before the address is first read: the token in it is not a place.
takeToken();

function read(): string {
  return location.hash.startsWith('#/') ? location.hash.slice(1) : '/jobs';
}

const fragment = signal(read());
addEventListener('hashchange', () => (fragment.value = read()));

export interface Place {
  /** `['jobs', 'desk']` */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

export const place = computed<Place>(() => {
  const [path = '', query = ''] = fragment.value.split('?', 2);
  return {
    path: path
      .split('/')
      .filter((part) => part !== '')
      .map((part) => decodeURIComponent(part)),
    query: new URLSearchParams(query),
  };
});

export type Parameters = Readonly<Record<string, string | undefined>>;

export function link(path: readonly string[], query: Parameters = {}): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== '') given.set(name, value);
  const text = given.toString();
  return `#/${path.map((part) => encodeURIComponent(part)).join('/')}${text === '' ? '' : `?${text}`}`;
}

export function go(path: readonly string[], query?: Parameters): void {
  location.hash = link(path, query);
}

/** Changes parameters and stays on the screen. Replaced, so that going back leads to the screen before. */
export function adjust(changes: Parameters): void {
  const { path, query } = place.value;
  const next = { ...Object.fromEntries(query), ...changes };
  history.replaceState(null, '', link(path, next));
  fragment.value = read();
}
