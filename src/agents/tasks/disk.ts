// A store on disk for the states of tasks that stays below a size.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { described, InvalidOptionError, refuseUnknownOptions, wholeNumberOption } from '../../base/options.ts';
import type { RetentionPolicy } from '../../history/door.ts';
import { LimitedStore, openStore, openUsedBytes, type Store, type StoreSource } from '../../store/door.ts';
import { collectGarbage } from '../../workspace/door.ts';
import { openServices } from '../services.ts';

/** Options of a disk. */
export interface DiskOptions {
  /** The size, in bytes, from which on commits are removed that `retention` does not keep; default: 1 GB. */
  readonly sizeLimit?: number | undefined;
  /** Which commits are kept when the limit is reached; default: the last 1,000 of each agent, and those with a tag. */
  readonly retention?: RetentionPolicy | undefined;
}

/**
 * A folder or `.db` file for states of tasks, with a limit: when it is reached, commits that need not be kept are removed, and if that is
 * not enough, writes are refused.
 *
 * @example
 * import { Disk, Versioned } from 'statek';
 *
 * const state = Versioned(Disk('./state', { sizeLimit: 100_000_000 }));
 * await state.close();
 */
export function Disk(path: string, options: DiskOptions = {}): StoreSource {
  refuseUnknownOptions('Disk', options, { sizeLimit: true, retention: true });
  const { sizeLimit = 1_000_000_000, retention = { last: 1000 } } = options;
  wholeNumberOption('Disk', 'sizeLimit', sizeLimit, 1, Number.MAX_SAFE_INTEGER);
  refuseUnknownOptions('Disk: retention', retention, { last: true, youngerThan: true, bytes: true });
  if (typeof path !== 'string' || path === '' || /^[a-z][a-z0-9+.-]+:/i.test(path))
    throw new InvalidOptionError(`Disk needs a folder or a .db file, not ${described(path)}.`);
  return {
    open: async () => {
      const store = await openStore(path);
      const file = resolve(path.endsWith('.db') ? path : join(path, 'statek.db'));
      if (!existsSync(file)) throw new Error(`${file} was not made.`);
      const used = await openUsedBytes(file);
      return new LimitedStore(store, {
        sizeLimit,
        name: `Disk('${path}')`,
        usedBytes: () => used.read(),
        relieve: (inner) => dropCommits(inner, retention),
        close: () => used.close(),
      });
    },
  };
}

async function dropCommits(store: Store, retention: RetentionPolicy): Promise<void> {
  const services = await openServices({ store }, true);
  try {
    await collectGarbage(services.workspaces.context, { retention });
  } finally {
    await services.close();
  }
}
