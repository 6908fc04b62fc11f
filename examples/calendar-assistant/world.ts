// A store with the calendar and the agents in it, opened alike by every process of the story.
import { join } from 'node:path';
import { Statek } from 'statek';
import { assistants } from './assistants.ts';
import { Calendar, Meeting } from './calendar.ts';
import { Outside } from './outside.ts';
import type { Language } from './script.ts';
import { scriptedModels } from './scripted-models.ts';

export interface WorldOptions {
  readonly folder: string;
  readonly language: Language;
  /** A model string; a script answers unless told. */
  readonly model: string | undefined;
  readonly onMail?: (() => Promise<void>) | undefined;
}

export async function openWorld({
  folder,
  language,
  model,
  onMail,
}: WorldOptions): Promise<{ kit: Statek; outside: Outside }> {
  const outside = new Outside(folder);
  const kit = await Statek.open({
    store: join(folder, 'store'),
    classes: [Calendar, Meeting],
    agents: assistants({ language, model, outside, onMail }),
    // Without `models` Statek finds those of the environment: OPENAI_API_KEY and so on.
    ...(model === undefined ? { models: scriptedModels(language) } : {}),
    leaseMilliseconds: 1000, // how long the others wait for a process that died; short, so that you need not
  });
  return { kit, outside };
}
