// Another definition for a fork of a job: the one it was made from, with another prompt or model.
import { parseModelChoice } from '../../models/door.ts';
import type { Store } from '../../store/door.ts';
import { definitionRows } from '../chat/item.ts';
import { JobDef } from '../definition.ts';
import { JobStateError } from '../../jobs/door.ts';

/** What a fork of a job is asked with instead. */
export type Redefinition = {
  /** A model string, as in MODEL. */
  readonly model?: string;
  /** The system prompt, as the model gets it. */
  readonly prompt?: string;
};

export async function redefined(store: Store, hash: string, { model, prompt }: Redefinition): Promise<JobDef> {
  const [entry] = await store.read(definitionRows, [[hash]]);
  if (entry === undefined)
    throw new JobStateError('The definition of the job is no longer in the store, so it cannot be changed.', { hash });
  return new JobDef({
    ...entry.value,
    ...(model === undefined ? {} : { models: parseModelChoice(model) }),
    ...(prompt === undefined ? {} : { prompt: { L: prompt, M: prompt, H: prompt } }),
  });
}
