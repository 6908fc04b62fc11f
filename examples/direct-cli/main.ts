// The DIRECT chat style: the model answers in prose and calls tools of its provider. One of them runs Python. Which tools it gets is
// the scope; what Python code can call is not limited by it.
import { Agent, Statek, tool } from 'statek';
import { scriptedModel } from 'statek/testing';
import { z } from 'zod';
import { exampleModels } from '../models.ts';
import { transcript } from '../transcript.ts';

const readings = { cellar: [11.5, 11.9, 12.4], attic: [24, 27.5, 31], garden: [14, 17.5, 16] };
const sensor = tool({
  name: 'sensor',
  description: 'The temperatures a sensor has measured today.',
  input: z.object({ place: z.enum(['cellar', 'attic', 'garden']) }),
  execute: async ({ place }) => readings[place],
});
const setFan = tool({
  name: 'setFan',
  description: 'Sets the speed of the fan in the attic, from 0 to 3.',
  input: z.object({ speed: z.int().min(0).max(3) }),
  execute: async ({ speed }) => `The fan runs at ${speed}.`,
});

const caretaker = new Agent({
  role: 'caretaker',
  language: 'python',
  chatStyle: 'DIRECT',
  systemPrompt: `You look after a house. Compute with python_cli, where sensor("attic") returns a list of numbers; variables stay.
Above 30 degrees in the attic, set the fan to 3.`,
  tools: [sensor, setFan],
  metadata: {
    MODEL: 'script',
    // All tools of the application and the code tool, except the sensor: that is for code, which asks for all of them in a loop.
    LLM_TOOLS_SCOPE: 'APPLICATION +python_cli -sensor',
  },
});

const script = scriptedModel([
  {
    text: 'I look at all three sensors.',
    toolCalls: [
      {
        name: 'python_cli',
        input: {
          code: `highest = {place: max(sensor(place)) for place in ("cellar", "attic", "garden")}
print(highest)`,
        },
      },
    ],
  },
  // A formal call, in which the name of a variable stands for its value: 31 is not a speed, and the model reads why.
  { toolCalls: [{ name: 'set_fan', input: { speed: 'hot' } }] },
  { toolCalls: [{ name: 'set_fan', input: { speed: 3 } }] },
  // Fences are never run in this style: this is an answer that shows code.
  'It was 31 degrees in the attic, so the fan runs at 3 now. I computed it with\n```python\nmax(sensor("attic"))\n```',
  { toolCalls: [{ name: 'python_cli', input: { code: 'highest["cellar"]' } }] },
  '12.4 degrees at most.',
]);
const kit = await Statek.open({ store: 'memory:', agents: [caretaker], models: exampleModels({ script }) });

const job = await kit.submit(caretaker, { message: 'Is it too hot anywhere?', vars: { hot: 31 } });
await job.result();
await job.say('And in the cellar?');
await job.result();
console.log('formal tools:', (await job.request(1)).tools?.map(({ name }) => name).join(', '));
console.log(await transcript(job));
console.log('variables:', await job.locals());
await kit.close();
