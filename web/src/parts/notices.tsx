// What is shown where there is nothing else: an error, nothing, or the outline of what is being loaded.
import type { ComponentChildren, JSX } from 'preact';

export function Problem({ error }: { readonly error: Error | undefined }): JSX.Element | null {
  if (error === undefined) return null;
  return (
    <p class="notice bad" role="alert">
      {error.message}
    </p>
  );
}

export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}): JSX.Element {
  return (
    <div class="empty">
      <strong>{title}</strong>
      {children}
    </div>
  );
}

const widths = ['62%', '48%', '71%', '40%', '57%', '66%', '35%', '52%'];

export function Outline({ lines = 4 }: { readonly lines?: number }): JSX.Element {
  return (
    <div class="stack" aria-busy="true" aria-label="Loading">
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} class="skeleton" style={{ width: widths[index % widths.length] }} />
      ))}
    </div>
  );
}
