// Which job wrote a revision of the store: its events are in the same transaction as everything its slice did.
import type { Revision, Store } from '../../store/door.ts';
import { jobEventRows } from '../rows.ts';

/** The job and the commit of its program that a revision belongs to. */
export interface RevisionWriter {
  readonly job: string;
  /** The commit of its program; undefined if the job changed without running code. */
  readonly commit: string | undefined;
}

/** Undefined if no job wrote it, or the log no longer goes back so far. */
export async function writerOf(store: Store, revision: Revision): Promise<RevisionWriter | undefined> {
  const end = new AbortController();
  try {
    for await (const set of store.follow({ since: revision - 1, signal: end.signal })) {
      if (set.revision !== revision) return undefined;
      const event = set.changes.find(({ kind, collection }) => kind === 'put' && collection === jobEventRows.name);
      if (event === undefined) return undefined;
      const [row] = await store.read(jobEventRows, [event.key]);
      return { job: String(event.key[0]), commit: row?.value.commit };
    }
    return undefined;
  } catch (error) {
    if ((error as { code?: unknown }).code === 'STORE_REVISION_GONE') return undefined;
    throw error;
  } finally {
    end.abort();
  }
}
