// `statek config`: every setting, its value, and where the value comes from.
import { shownLocation } from '../../application/application.ts';
import type { Command } from '../../line/command.ts';
import { harmless, oneLine } from '../../output/style.ts';

export const config: Command = {
  name: 'config',
  group: 'Maintain',
  summary: 'list every setting, its value and where it comes from',
  options: [{ flags: '--set', description: 'only settings that differ from their default' }],
  examples: [['config --set', 'what differs from the defaults']],
  async run(session, given) {
    const { out } = session;
    const { file, store, settings, roles, config: application } = await session.application();
    const all = settings.origins
      .filter(({ name }) => name !== 'store')
      .map(({ name, variable, value, source }) => ({
        name,
        value: value === Number.POSITIVE_INFINITY ? 'unlimited' : value,
        source: source === 'code' ? 'configuration file' : source,
        variable,
      }));
    const shown = given.flag('set') ? all.filter(({ source }) => source !== 'default') : all;
    const location = store && shownLocation(store.location);
    if (out.isJson) {
      out.json({
        file,
        store: store && { location, source: store.source },
        roles,
        services: Object.keys(application.services ?? {}),
        classes: (application.classes ?? []).map((one) => one.name),
        settings: shown,
      });
      return;
    }
    out.facts([
      ['configuration', file === undefined ? 'none' : harmless(file)],
      ['store', location === undefined ? 'none' : `${harmless(location)} (${store?.source ?? ''})`],
      ['roles', oneLine(roles.join(', '))],
    ]);
    if (shown.length === 0) return;
    out.line();
    out.table(shown, [
      { title: 'SETTING', text: ({ name }) => name },
      { title: 'VALUE', text: ({ value }) => (value === undefined ? '-' : oneLine(String(value))), minWidth: 8 },
      {
        title: 'FROM',
        text: ({ source }) => source,
        style: (text) => (text === 'default' ? out.style.dim(text) : text),
      },
      { title: 'VARIABLE', text: ({ variable }) => variable, minWidth: 10, style: (text) => out.style.dim(text) },
    ]);
  },
};
