// The request of a turn, made from what the store has: when the model is asked, and whenever somebody wants to see it again.
import type { Difficulty, ModelRequest } from '../../models/door.ts';
import { currentItems } from '../chat/current.ts';
import type { ChatItem } from '../chat/item.ts';
import { requestFrom } from '../chat/layout.ts';
import type { AgentRuntime } from './runtime.ts';

/** What has to be known to make a request. It is kept in the journal, as the input of the call. */
export interface Asking {
  readonly definition: string;
  /** The first item that is shown as it is, and the item that stands for those before it; 0 if there are none. */
  readonly from: number;
  readonly foldItem: number;
  readonly upTo: number;
  readonly difficulty: Difficulty;
  readonly turn: number;
  readonly heldBack: number;
}

export async function requestOf(runtime: AgentRuntime, job: string, asking: Asking): Promise<ModelRequest> {
  const definition = await runtime.definition(asking.definition);
  const fold = asking.foldItem === 0 ? undefined : await runtime.item(job, asking.foldItem);
  const items: ChatItem[] = fold === undefined ? [] : [fold];
  for (const item of currentItems(await runtime.items(job, asking.from, asking.upTo)))
    if (item.kind !== 'fold') items.push(item);
  return requestFrom(definition, items, asking.difficulty);
}
