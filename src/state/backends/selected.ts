// Which backend a manager is given: one that was made, or one by name with the place that its name needs.
import { InvalidOptionError } from '../../base/options.ts';
import { checkArgument, is } from '../foundation/given.ts';
import {
  backendNames,
  FileBackend,
  MemoryBackend,
  postgresBackend,
  RedisBackend,
  sqliteBackend,
  type BackendName,
  type FileBackendOptions,
  type StateBackend,
} from './backends.ts';

/** A backend, and where it keeps everything. */
export interface BackendSelection {
  /** By name, or a backend such as `RedisBackend(…)`, instead of `store`. */
  readonly backend?: BackendName | StateBackend | undefined;
  /** The same by name, under the name that AgenticAI has for it. */
  readonly persistence?: BackendName | undefined;
  /** The folder of the backend `file`; the folder or `.db` file of `sqlite`. */
  readonly filePath?: string | undefined;
  /** The server of the backend `redis`. */
  readonly redisUrl?: string | undefined;
  /** The server of the backend `postgres`. */
  readonly postgresUrl?: string | undefined;
}

/** The backend that was selected; undefined if none was. */
export function selectedBackend(
  where: string,
  selection: BackendSelection,
  file: Omit<FileBackendOptions, 'basePath'> = {},
): StateBackend | undefined {
  const { persistence, backend = persistence, filePath, redisUrl, postgresUrl } = selection;
  if (persistence !== undefined) {
    checkArgument(where, "option 'persistence'", persistence, is.oneOf(backendNames));
    if (backend !== persistence)
      throw new InvalidOptionError(`${where}: 'persistence' is 'backend' under another name. Give one of them.`, {
        name: 'persistence',
      });
  }
  for (const [name, value] of Object.entries({ filePath, redisUrl, postgresUrl })) {
    if (value === undefined) continue;
    const users = usersOf(name);
    if (typeof backend !== 'string' || !users.includes(backend))
      throw new InvalidOptionError(
        `${where}: option '${name}' is for ${users.length === 1 ? 'the backend' : 'the backends'} ${users.map((each) => `'${each}'`).join(' and ')}. Remove it, or select that backend.`,
        { name },
      );
  }
  if (backend === undefined) return undefined;
  if (typeof (backend as Partial<StateBackend> | null)?.open === 'function') return backend as StateBackend;
  checkArgument(where, "option 'backend'", backend, is.oneOf(backendNames));
  switch (backend as BackendName) {
    case 'memory':
      return MemoryBackend();
    case 'file':
      return FileBackend({ basePath: needed(where, 'file', 'filePath', filePath), ...file });
    case 'sqlite':
      return sqliteBackend(needed(where, 'sqlite', 'filePath', filePath));
    case 'postgres':
      return postgresBackend(needed(where, 'postgres', 'postgresUrl', postgresUrl));
    case 'redis':
      return RedisBackend({ url: needed(where, 'redis', 'redisUrl', redisUrl) });
  }
}

/** The backends that use an option. */
function usersOf(option: string): readonly string[] {
  return option === 'filePath' ? ['file', 'sqlite'] : [option.replace('Url', '')];
}

function needed(where: string, backend: string, name: string, value: string | undefined): string {
  if (value === undefined || value === '')
    throw new InvalidOptionError(`${where}: the backend '${backend}' needs the option '${name}'.`, { name });
  checkArgument(where, `option '${name}'`, value, is.text);
  return value;
}
