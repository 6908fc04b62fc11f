// An evaluation: one job is forked after its first turn into five variants, which go on with another model or prompt. What was
// done before the fork is shared, and paid for once: npm run example evaluation [-- --python]
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Agent, Statek, view, type Job } from 'statek';
import { exampleModels } from '../models.ts';
import { reviews, score } from './reviews.ts';
import { scriptsIn } from './script.ts';

const { values } = parseArgs({ options: { python: { type: 'boolean', default: false } } });
const language = values.python ? 'python' : 'typescript';
const task =
  'Guess for each of `texts`, reviews of a hotel, whether the guest was content. Split them into words first. End with exit(list of booleans).';
const critic = new Agent({ role: 'critic', language, systemPrompt: task, metadata: { MODEL: 'small' } });
const kit = await Statek.open({
  store: 'memory:',
  agents: [critic],
  models: exampleModels(scriptsIn(language), { prices: join(import.meta.dirname, 'prices.csv') }),
});
const job = await kit.submit(critic, {
  id: 'original',
  message: 'Were they content?',
  vars: { texts: reviews.map(({ text }) => text) },
});
console.log(`The original: ${score(await job.result())} of ${reviews.length} right.`);

// The commit of the first step: everything the first reply has made is in it.
const step = (await job.chat()).find((item) => item.kind === 'step');
const commit = step?.commit ?? '';
console.log(
  `Forked after the first turn, with the variables ${Object.keys(await view(await job.at(commit))).join(', ')}.`,
);

// The prompt of a fork replaces the whole text that the model is told, which includes what Statek says about code and tools.
const told = (await job.definition()).prompt.L;
const terse = told.replace(task, 'exit(true or false for each of texts).');
const hinted = told.replace(task, `${task} Mind negations.`);
const variants: Readonly<Record<string, { readonly model?: string; readonly prompt?: string }>> = {
  'as it was': {},
  'terse prompt': { prompt: terse },
  'prompt with a hint': { prompt: hinted },
  'large model': { model: 'large' },
  'large model, hint': { model: 'large', prompt: hinted },
};
const forks = await Promise.all(
  // The message makes the variant without changes go on, too.
  Object.entries(variants).map(([id, changes]) => job.fork(commit, { id, ...changes, message: 'Now guess.' })),
);

const table: Record<string, unknown> = {};
for (const fork of forks) {
  const right = score(await fork.result());
  // What it has used itself; the first turn belongs to the original.
  const own = (await fork.usage()).turns.slice(1);
  table[fork.id] = {
    right,
    model: [...new Set(own.map(({ model }) => model.model))].join(', '),
    turns: own.length,
    tokens: sum(own.map(({ tokens }) => tokens.input + tokens.output)),
    'cents per 1,000': Number((sum(own.map(({ cost }) => cost?.amount ?? 0)) * 100_000).toFixed(1)),
  };
}
console.table(table);

const [plain, , , large] = forks as [Job, Job, Job, Job, Job];
const { variables, chat } = await plain.compare(large);
console.log(
  `'${plain.id}' and '${large.id}' share ${chat.shared} items of their conversation, and differ in these variables:`,
);
for (const { name, change, a = '-', b = '-' } of variables)
  console.log(`  ${name}: ${change}${change === 'different' ? `, ${a} and ${b}` : ''}`);
await kit.close();

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
