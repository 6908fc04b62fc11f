// An office of four agents, written as prompt files: npm run example office
import { join } from 'node:path';
import { Statek } from 'statek';
import { exampleModels } from '../models.ts';
import { transcript } from '../transcript.ts';
import { officeAgents } from './agents.ts';
import { Office, Person, Team } from './office.ts';
import { messages, scripts } from './script.ts';

const folder = (name: string): string => join(import.meta.dirname, name);
const kit = await Statek.open({
  store: 'memory:',
  classes: [Office, Team, Person],
  agents: await officeAgents((text) => console.log(`  → ${text}`)),
  models: exampleModels(scripts),
  settings: { prompts: folder('prompts'), warmups: folder('warmups'), documents: folder('documents') },
});
await kit.transaction(() => {
  const sales = [
    new Person('Ann', '+1', 5200),
    new Person('Ben', '+0', 4800, ['2026-03-10']),
    new Person('Eve', '+2', 5000),
  ];
  new Office().teams.push(new Team('sales', sales));
});

const dispatcher = await kit.submit('dispatcher', { message: messages[0], parameters: { person: 'Ann' } });
console.log(`Ann: ${messages[0]}`);
await kit.runUntilIdle();
console.log(`Ann: ${messages[1]}`);
await dispatcher.say(messages[1]);
await kit.runUntilIdle();

for (const role of ['dispatcher', 'schedule_assistant', 'information_retriever', 'review_agent'])
  for (const job of await kit.jobs({ role, order: 'oldest', limit: 1 })) console.log(`\n${await transcript(job)}`);

const [thread] = await kit.jobs({ role: 'schedule_assistant' });
const turns = (await thread?.usage())?.turns ?? [];
console.log(`\nDifficulty of its turns: ${turns.map(({ difficulty }) => difficulty).join(' ')}`);
await kit.close();
