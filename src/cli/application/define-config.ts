// What a configuration file exports: what `Statek.open` is given, or a function that returns it.
import type { StatekOptions } from '../../kit/options.ts';

/** The options of `Statek.open`; the store may be left to the command line or to `STATEK_STORE`. */
export interface StatekConfig extends Omit<StatekOptions, 'store'> {
  readonly store?: StatekOptions['store'] | undefined;
}

/** Gives a configuration file its types: `export default defineConfig({ … })`. Returns what it is given. */
export function defineConfig<Config extends StatekConfig | (() => StatekConfig | Promise<StatekConfig>)>(
  config: Config,
): Config {
  return config;
}
