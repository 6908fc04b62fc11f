// Fills an empty store from a full backup and the incremental ones after it, all or nothing.
import { InvalidOptionError, refuseUnknownOptions } from '../../base/options.ts';
import type { Store } from '../store.ts';
import { BackupReader } from './backup-file.ts';
import type { BackupHeader } from './backup-header.ts';
import { ItemCount } from './count-items.ts';
import { loadingOf } from './engine-of.ts';
import { BackupChainError } from './errors.ts';
import { ItemLoader } from './load-items.ts';
import type { MoveOptions, MoveReport } from './progress.ts';

/**
 * Fills an empty store from backups: a full one, then the incremental ones in their order. Revisions, versions and the change feed
 * are afterwards as they were; leases are not restored. A damaged file or a gap is refused, and the store stays empty.
 */
export async function restoreStore(
  store: Store,
  files: string | readonly string[],
  options: MoveOptions = {},
): Promise<MoveReport> {
  refuseUnknownOptions('restoreStore', options, { onProgress: true, signal: true });
  const { onProgress, signal } = options;
  const paths = typeof files === 'string' ? [files] : files;
  if (paths.length === 0)
    throw new InvalidOptionError('restoreStore needs a full backup, and the incremental ones after it.');
  const chain = await checkedChain(paths);
  const total = chain.reduce((sum, { size }) => sum + size, 0);
  const last = (chain.at(-1) as Link).header;
  const loading = await loadingOf(store);
  try {
    const loader = new ItemLoader(loading);
    const count = new ItemCount();
    let before = 0;
    for (const { path } of chain) {
      const reader = new BackupReader(path);
      try {
        const { collections, since, state } = await reader.header();
        await loader.begin(collections, since ?? state.horizon);
        for await (const items of reader.items()) {
          signal?.throwIfAborted();
          await loader.add(items);
          count.add(items);
          onProgress?.({ unit: 'bytes', done: before + reader.position, total });
        }
        before += reader.size;
      } finally {
        reader.close();
      }
    }
    signal?.throwIfAborted();
    await loader.finish(last.state);
    return count.report(last.state.revision);
  } catch (error) {
    await loading.abandon();
    throw error;
  }
}

interface Link {
  readonly path: string;
  readonly size: number;
  readonly header: BackupHeader;
}

/** The headers of backups that can be restored one after the other; throws if they cannot. */
export async function checkedChain(paths: readonly string[]): Promise<readonly Link[]> {
  const chain = await headersOf(paths);
  checkChain(chain);
  return chain;
}

async function headersOf(paths: readonly string[]): Promise<readonly Link[]> {
  const links: Link[] = [];
  for (const path of paths) {
    const reader = new BackupReader(path);
    try {
      links.push({ path, size: reader.size, header: await reader.header() });
    } finally {
      reader.close();
    }
  }
  return links;
}

function checkChain(chain: readonly Link[]): void {
  for (const [index, { path, header }] of chain.entries()) {
    const previous = chain[index - 1];
    if (previous === undefined) {
      if (header.since !== undefined)
        throw new BackupChainError(
          `${path} has only what changed since revision ${header.since}. Give the full backup before it, and those in between.`,
          { file: path, since: header.since },
        );
      continue;
    }
    if (header.since === undefined)
      throw new BackupChainError(`${path} is a full backup, and only the first one may be. Restore it alone.`, {
        file: path,
      });
    const { revision } = previous.header.state;
    if (header.since !== revision)
      throw new BackupChainError(
        `${path} has what changed since revision ${header.since}, and ${previous.path} ends at revision ${revision}. Give the backups in the order in which they were made, without gaps.`,
        { file: path, since: header.since, revision },
      );
    const { mark } = previous.header;
    if (mark !== undefined && header.sinceMark !== undefined && mark !== header.sinceMark)
      throw new BackupChainError(
        `${path} is not of the same store as ${previous.path}, or of another history of it: revision ${revision} is not the same.`,
        { file: path, revision },
      );
  }
}
