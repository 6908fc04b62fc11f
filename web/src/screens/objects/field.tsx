// A field of an object: data, or a way to another object.
import type { JSX } from 'preact';
import { shortId } from '../../format.ts';
import { Preview } from '../../parts/value.tsx';
import { link } from '../../route.ts';
import type { Field as Data } from './object-types.ts';

export function Field({
  field,
  revision,
}: {
  readonly field: Data;
  readonly revision: string | undefined;
}): JSX.Element {
  if (field.kind === 'reference')
    return (
      <a href={link(['objects', field.id], { at: revision })} title={field.id}>
        {field.type}
        {field.isWeak && ' (weak)'} <span class="faint">{shortId(field.id)}</span>
      </a>
    );
  if (field.kind === 'data') return <Preview value={field.value} />;
  return (
    <span title={field.type} class="value">
      {field.text}
    </span>
  );
}
