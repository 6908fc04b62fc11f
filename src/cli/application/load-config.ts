// Loads a configuration file. It is the user's own code, so every error names its path.
import { pathToFileURL } from 'node:url';
import { ConfigError } from '../line/errors.ts';
import type { StatekConfig } from './define-config.ts';

export async function loadConfig(file: string): Promise<StatekConfig> {
  const exported = await exportOf(file);
  if (exported === undefined)
    throw new ConfigError(`${file} has no default export. Write: export default defineConfig({ store: './data' });`, {
      file,
    });
  const config = typeof exported === 'function' ? await call(exported as () => unknown, file) : exported;
  if (typeof config !== 'object' || config === null || Array.isArray(config))
    throw new ConfigError(
      `${file} must export the options of Statek.open, or a function that returns them; it exports ${describe(config)}.`,
      { file },
    );
  return config;
}

async function exportOf(file: string): Promise<unknown> {
  try {
    return ((await import(pathToFileURL(file).href)) as { default?: unknown }).default;
  } catch (error) {
    throw failed(file, 'cannot be loaded', error);
  }
}

async function call(make: () => unknown, file: string): Promise<unknown> {
  try {
    return await make();
  } catch (error) {
    throw failed(file, 'threw an error in its exported function', error);
  }
}

function failed(file: string, what: string, error: unknown): ConfigError {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return new ConfigError(
    `${file} ${what}: ${message.trimEnd().replace(/\.$/, '')}. Fix it, or pass --store-only to ignore it.`,
    { file },
    error,
  );
}

function describe(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}
