// A retriever works in the background for a concierge, who goes on talking meanwhile. The concierge is told when there is an answer,
// even though its own job was done by then, and follows up with more questions.
import { DialogAgent, Researcher, Statek, tool } from 'statek';
import { scriptedModel } from 'statek/testing';
import { code, exampleModels } from '../models.ts';
import { transcript } from '../transcript.ts';

const concierge = new DialogAgent({
  role: 'concierge',
  systemPrompt: `You help guests of a hotel. The retriever knows timetables and is slow: give it work with startSubtask and go on talking.
You are told when it has an answer. For questions that belong together use delegateDialog: talk.answer, await talk.say(more).`,
  metadata: { MODEL: 'concierge' },
  sendMessage: async (text) => console.log(`  → ${text}`),
});

const filed: string[] = [];
const file = tool({
  name: 'file',
  description: 'Files trains that were found, for others.',
  execute: async ({ trains }: { trains: string[] }) => filed.push(...trains),
});
const retriever = new Researcher({
  role: 'retriever',
  language: 'python',
  systemPrompt: `You find trains: signal("timetable") waits for the newest timetable. As soon as you know the answer, call
complete_subtask(answer): whoever asked need not wait until you have filed it, which you do next. Without a caller, use answer(value).`,
  tools: [file],
  metadata: { MODEL: 'retriever' },
});

const models = exampleModels({
  concierge: scriptedModel([
    `I have it looked up.\n${code('ts', "const task = await startSubtask('retriever', { message: 'Trains to Ghent on Friday' });")}`,
    'Meanwhile: how many of you will travel?',
    code('ts', 'const travellers = 2;', 'print(await findSubtask(task));'),
    'Two, thank you. The trains are still being looked up.',
    // The notice of the subtask has started the job again: nobody had to wait for it or ask.
    'There is a train at 9:12 and one at 11:12.',
    code(
      'ts',
      "const talk = await delegateDialog('retriever', { message: 'Is there a train to Ghent after 11:12?' });",
      "print(talk.answer, '/', await talk.say('And the last one back?'));",
    ),
    'The next is at 13:12, and the last one back leaves at 21:40.',
  ]),
  retriever: scriptedModel([
    code(
      'python',
      'timetable = signal("timetable")',
      'trains = [train for train in timetable if train < "12:00"]',
      'complete_subtask(trains)',
      'file(trains=trains)',
      'exit()',
    ),
    // The second job, and the follow-up: `later` is still there.
    code('python', 'later = ["13:12"]', 'answer(f"Yes, at {later[0]}.")'),
    code('python', 'back = [*later, "21:40"][-1]', 'answer(f"At {back}.")'),
  ]),
});

const kit = await Statek.open({ store: 'memory:', agents: [concierge, retriever], models });
const ask = async (text: string): Promise<void> => {
  console.log(`Ann: ${text}`);
  await job.say(text);
  await kit.runUntilIdle();
};
console.log('Ann: Which trains are there to Ghent on Friday?');
const job = await kit.submit(concierge, { id: 'ann', message: 'Which trains are there to Ghent on Friday?' });
await kit.runUntilIdle();
await ask('Two of us.');

console.log('(the timetable arrives)');
await kit.signal('timetable', ['09:12', '11:12', '13:12']);
await kit.runUntilIdle();
await ask('Is there a later one? And back?');

console.log(`\n${await transcript(job)}`);
for (const child of await kit.jobs({ parent: 'ann', order: 'oldest' })) console.log(`\n${await transcript(child)}`);
console.log('\nfiled after the answer:', filed.join(', '));
await kit.close();
