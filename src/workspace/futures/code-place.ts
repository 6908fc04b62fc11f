// Where in the code of a step something was asked for, in the author's own lines and columns. Looked up when somebody looks, so
// that recording it costs a slice nothing but a few digits.
import type { Store } from '../../store/door.ts';
import type { WorkspaceContext } from '../context.ts';
import type { LanguageName } from '../language-name.ts';
import { sourceOfStep } from '../step-source.ts';
import type { CodePlace, FutureRow } from '../rows.ts';

/** The text of a step that is known without reading it. */
export interface KnownSource {
  readonly number: number;
  readonly source: string;
}

/** Undefined for futures of programs that started on an engine that did not tell, and where the step is no longer there. */
export async function placeOf(
  { store, languages }: { readonly store: Store; readonly languages: WorkspaceContext['languages'] },
  language: LanguageName,
  { workspace, place }: Pick<FutureRow, 'workspace' | 'place'>,
  known?: KnownSource,
): Promise<CodePlace | undefined> {
  if (place === undefined) return undefined;
  const source = known?.number === place.step ? known.source : await sourceOfStep(store, workspace, place.step);
  return source === undefined ? undefined : languages.of(language).authorPlace(place, source);
}
