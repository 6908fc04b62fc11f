// What a configuration file exports: the options of `Statek.open`, or a function that returns them.
import type { StatekOptions } from '../../agents/services.ts';

/** The options of `Statek.open`. `store` is optional: the command line or `STATEK_STORE` can name it. */
export interface StatekConfig extends Omit<StatekOptions, 'store'> {
  readonly store?: StatekOptions['store'] | undefined;
}

/** A configuration, or a function that makes one when a command needs it. */
export type StatekConfigExport = StatekConfig | (() => StatekConfig | Promise<StatekConfig>);

/** Type-checks a configuration file: `export default defineConfig({ … })`. Returns its argument. */
export function defineConfig<Config extends StatekConfigExport>(config: Config): Config {
  return config;
}
