// A story for each state manager: npm run example state [-- values recovery pipeline team indexing search voice agentic-ai]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agenticAi } from './agentic-ai/index.ts';
import { companyDocuments } from './indexing.ts';
import { researchPipeline } from './pipeline.ts';
import { recoveryByHand } from './recovery.ts';
import { webSearch } from './search.ts';
import { researchTeam } from './team.ts';
import { namedValues } from './values.ts';
import { voiceSession } from './voice.ts';

/** Each gets a folder for its store, which it may open again, as another process would. */
const stories: Readonly<Record<string, (folder: string) => Promise<void>>> = {
  values: namedValues,
  recovery: recoveryByHand,
  pipeline: researchPipeline,
  team: researchTeam,
  indexing: companyDocuments,
  search: webSearch,
  voice: voiceSession,
  'agentic-ai': agenticAi,
};

const chosen = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(stories);
const folder = mkdtempSync(join(tmpdir(), 'statek-'));
for (const name of chosen) {
  const tell = stories[name];
  if (tell === undefined) {
    console.error(`There is no story '${name}'. There are: ${Object.keys(stories).join(', ')}.`);
    process.exitCode = 1;
    break;
  }
  console.log(`${name === chosen[0] ? '' : '\n'}── ${name}`);
  await tell(join(folder, name));
}
rmSync(folder, { recursive: true, force: true });
