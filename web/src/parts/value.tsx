// A value as one line of text. Whatever it says, it is text.
import type { JSX } from 'preact';
import { link } from '../route.ts';

/** How a handle to an object of the application is written: `[Meeting default/mwlx48]`. */
const handle = /^\[([\p{L}_$][\p{L}\p{N}_$]*) (?:([a-z0-9][a-z0-9_.-]*)\/)?([\w.-]+)\]$/u;

export function objectIn(value: unknown): { readonly type: string; readonly id: string } | undefined {
  const found = typeof value === 'string' && value.length < 300 ? handle.exec(value) : null;
  if (found === null || found[1] === 'function') return undefined;
  return { type: found[1] ?? '', id: found[2] === undefined ? (found[3] ?? '') : `${found[2]}/${found[3] ?? ''}` };
}

export function Preview({ value }: { readonly value: unknown }): JSX.Element {
  const object = objectIn(value);
  if (object !== undefined)
    return (
      <a class="object-link" href={link(['objects', object.id])} title={object.id}>
        {object.type} <span class="faint">{object.id.slice(-8)}</span>
      </a>
    );
  return <span class={`value value-${kindOf(value)}`}>{short(value, 160)}</span>;
}

function kindOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value;
}

/** JSON without its end, if it is long; stops early, so that a large value costs nothing. */
export function short(value: unknown, room: number): string {
  if (typeof value === 'string') return JSON.stringify(value.length > room ? `${value.slice(0, room)}…` : value);
  if (Array.isArray(value)) {
    let text = '[';
    for (const [index, item] of value.entries()) {
      if (text.length > room) return `${text}, …]`;
      text += (index === 0 ? '' : ', ') + short(item, Math.max(12, room - text.length));
    }
    return `${text}]`;
  }
  if (typeof value === 'object' && value !== null) {
    let text = '{';
    for (const [name, member] of Object.entries(value)) {
      if (text.length > room) return `${text}, …}`;
      text += `${text === '{' ? ' ' : ', '}${name}: ${short(member, Math.max(12, room - text.length))}`;
    }
    return text === '{' ? '{}' : `${text} }`;
  }
  return String(value);
}

/** More than anybody reads in a frame, and less than would freeze the page. */
const mostShown = 100_000;

export function Whole({ value }: { readonly value: unknown }): JSX.Element {
  const text =
    (typeof value === 'string' ? value : (JSON.stringify(value, null, 2) as string | undefined)) ?? 'nothing';
  const left = text.length - mostShown;
  return (
    <pre class="whole" tabIndex={0} role="region" aria-label="Value">
      {left > 0 ? `${text.slice(0, mostShown)}… (${left} more characters)` : text}
    </pre>
  );
}
