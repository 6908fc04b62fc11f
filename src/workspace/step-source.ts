// The code of a step, by its number.
import type { Store } from '../store/door.ts';
import { stepRows, workspaceRows } from './rows.ts';

/** The text of a step, which a fork may have to look up where it came from. */
export async function sourceOfStep(store: Store, workspace: string, number: number): Promise<string | undefined> {
  for (let place: string | undefined = workspace; place !== undefined;) {
    const [entry] = await store.read(stepRows, [[place, number]]);
    if (entry !== undefined) return entry.value.source;
    place = await originOf(store, place);
  }
  return undefined;
}

/** The workspace that another one was forked from. */
async function originOf(store: Store, workspace: string): Promise<string | undefined> {
  const [entry] = await store.read(workspaceRows, [[workspace]]);
  return entry?.value.forkedFrom?.workspace;
}
