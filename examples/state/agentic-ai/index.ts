// What the documentation of AgenticAI shows of its state managers, translated line by line: as a file for each manager.
import { join } from 'node:path';
import { agents } from './agents.ts';
import { knowledge } from './knowledge.ts';
import { speech } from './speech.ts';
import { state } from './state.ts';
import { teams } from './teams.ts';
import { tools } from './tools.ts';
import { workflows } from './workflows.ts';

export async function agenticAi(folder: string): Promise<void> {
  for (const [name, tell] of Object.entries({ state, agents, workflows, teams, knowledge, tools, speech })) {
    console.log(`${name}:`);
    await tell(join(folder, name));
  }
}
