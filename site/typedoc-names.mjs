// Names the entry points as they are imported: 'statek/store' instead of 'store'.
import { Converter } from 'typedoc';

/** @param {import('typedoc').Application} application */
export function load(application) {
  application.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const entry of project.children ?? []) entry.name = entry.name === 'index' ? 'statek' : `statek/${entry.name}`;
  });
}
