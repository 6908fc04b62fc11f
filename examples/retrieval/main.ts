// An agent that looks things up: documents and worked examples are files, and what it learns is remembered for later jobs.
import { join } from 'node:path';
import { Agent, Models, Statek } from 'statek';
import { scriptedModel } from 'statek/testing';

const code = (...lines: string[]): string => `\`\`\`ts\n${lines.join('\n')}\n\`\`\``;

const script = scriptedModel([
  // The first customer: it looks for the rule, and for how others did it.
  code('print(listOfDocuments());', 'print(listOfExamples());'),
  code('print(showDocument("refund"));', 'print(await showExample("Answer a refund"));'),
  code(
    'await remember("salutation", "Dr. Lee", { category: "PREFERENCE" });',
    'exit("Dear Dr. Lee, you can send it back until 31 March.")',
  ),
  // The same customer, a week later, in another job: what was remembered is in its first request.
  code('exit(`Dear ${(await recall("salutation")).split(": ")[1]}, it has arrived.`)'),
  // Another customer: what is remembered about the first is not for this job.
  code('exit(await recall())'),
]);
const support = new Agent({
  role: 'support',
  systemPrompt: 'You answer customers of a shop.',
  metadata: { MODEL: 'script' },
});
const kit = await Statek.open({
  store: 'memory:',
  agents: [support],
  models: new Models({ models: { script } }),
  settings: { documents: join(import.meta.dirname, 'documents'), examples: join(import.meta.dirname, 'examples') },
});

const lee = { specifiers: ['shop', 'customer:lee'] };
const first = await kit.submit(support, {
  message: 'I bought a lamp on 1 March. Until when can I return it? Dr. Lee',
  memory: lee,
});
console.log('first answer: ', await first.result());
console.log((await first.console()).map((line) => line.replaceAll(/^/gm, '  │ ')).join('\n'));

const second = await kit.submit(support, { message: 'Has it arrived?', memory: lee });
console.log('second answer:', await second.result());
const told = JSON.stringify((await second.request(1)).messages).includes('salutation (PREFERENCE): Dr. Lee');
console.log('  it was told what is remembered:', told);

const other = await kit.submit(support, {
  message: 'What do you know about me?',
  memory: { specifiers: ['shop', 'customer:kim'] },
});
console.log('third answer: ', await other.result());
await kit.close();
