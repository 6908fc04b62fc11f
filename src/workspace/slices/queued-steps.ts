// Steps that were given while another one waited.
import type { Store } from '../../store/door.ts';
import { stepRows, type StepRow } from '../rows.ts';

/** The oldest step that has not begun. Steps begin in order, so those are the last ones. */
export async function nextQueued(store: Store, workspace: string): Promise<StepRow | undefined> {
  let oldest: StepRow | undefined;
  let cursor: string | undefined;
  do {
    const limit = oldest === undefined ? 1 : 100;
    const page = await store.scan(stepRows, { prefix: [workspace] }, { reverse: true, limit, cursor });
    for (const { value } of page.entries) {
      if (value.status !== 'queued') return oldest;
      oldest = value;
    }
    cursor = page.cursor;
  } while (cursor !== undefined);
  return oldest;
}
