// Says what is in a backup, after reading all of it.
import type { Revision } from '../store.ts';
import { BackupReader } from './backup-file.ts';
import { ItemCount } from './count-items.ts';
import type { BackupReport } from './backup-store.ts';

/** What a backup has in it, and where it came from. */
export interface BackupDescription extends Omit<BackupReport, 'damaged'> {
  /** ISO time. */
  readonly made: string;
  /** The engine of the store. */
  readonly engine: string;
  /** The version of Statek that made it. */
  readonly version: string;
  /** The oldest revision that can be read after restoring it. */
  readonly horizon: Revision;
}

/** Reads and checks a whole backup; throws if it is damaged. */
export async function inspectBackup(file: string): Promise<BackupDescription> {
  const reader = new BackupReader(file);
  try {
    const { state, since, made, engine, version } = await reader.header();
    const count = new ItemCount();
    for await (const items of reader.items()) count.add(items);
    const { revision, horizon } = state;
    return { file, since, made, engine, version, horizon, bytes: reader.size, ...count.report(revision) };
  } finally {
    reader.close();
  }
}
