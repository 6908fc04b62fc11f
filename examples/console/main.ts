// The CONSOLE chat style: the whole reply is code, as if the model sat at an interactive console. The same story in both languages.
import { Agent, Statek, type Job } from 'statek';
import { scriptedModel, type ScriptedModel } from 'statek/testing';
import { exampleModels } from '../models.ts';
import { transcript } from '../transcript.ts';

type Language = 'typescript' | 'python';

const orders = [
  { customer: 'Ann', euros: 120 },
  { customer: 'Ben', euros: 80 },
  { customer: 'Ann', euros: 45.5 },
  { customer: 'Eve', euros: null }, // not paid yet
];

// Each reply is a piece of a program. The second one fails, and the model reads where; what the first one made is still there.
const scripts: Readonly<Record<Language, ScriptedModel>> = {
  typescript: scriptedModel([
    `// I group the orders by customer first.
const sums = new Map<string, number>();
for (const { customer, euros } of orders) sums.set(customer, (sums.get(customer) ?? 0) + (euros ?? 0));
sums`,
    `const best = [...sums].toSorted((a, b) => b[1] - a[1]).at(0);
best.customer.toUpperCase()`,
    `exit({ customer: best[0], euros: best[1] })`,
  ]),
  python: scriptedModel([
    `# I group the orders by customer first.
from collections import Counter
sums = Counter()
for order in orders:
    sums[order.customer] += order.euros or 0
sums`,
    `best = sums.most_common(1)[0]
best.customer.upper()`,
    `exit({"customer": best[0], "euros": best[1]})`,
  ]),
};

const clerks = (['typescript', 'python'] as const).map(
  (language) =>
    new Agent({
      role: `clerk in ${language}`,
      language,
      chatStyle: 'CONSOLE',
      systemPrompt: 'You answer questions about `orders`, a list of { customer, euros }. End with exit(value).',
      metadata: { MODEL: language },
    }),
);
const kit = await Statek.open({ store: 'memory:', agents: clerks, models: exampleModels(scripts) });
for (const clerk of clerks) {
  const job: Job = await kit.submit(clerk, { message: 'Who has bought most?', vars: { orders } });
  const result = await job.result();
  console.log(await transcript(job));
  console.log(`  result: ${JSON.stringify(result)}\n`);
}

// What a model reads: its own lines, and what the console answered, as on a screen.
const [last] = await kit.jobs({ role: 'clerk in python' });
const { messages = [] } = (await last?.request((await last.usage()).turns.length)) ?? {};
console.log('the last request ends with:', messages.at(-1)?.content);
await kit.close();
