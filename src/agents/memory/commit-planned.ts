// Plans a change and commits it; when somebody was faster, plans it again on what is there now.
import { mustCommit, StoreConflictError, type Store } from '../../store/door.ts';
import type { PlannedChange } from './change.ts';

const attempts = 50;

/** Whether there was something to change; `done` is told of what was committed. */
export async function commitPlanned(
  store: Store,
  plan: () => Promise<PlannedChange | undefined>,
  done?: (change: PlannedChange, revision: number) => void,
): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    const change = await plan();
    if (change === undefined) return false;
    try {
      const revision = await mustCommit(store, change.transaction);
      done?.(change, revision);
      return true;
    } catch (error) {
      if (!(error instanceof StoreConflictError) || attempt === attempts) throw error;
    }
  }
}
