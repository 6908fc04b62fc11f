// A typed function that an agent fills in: what goes in and out follows a schema, and every way it can end is a value.
import { Agent, messageText, Models } from 'statek';
import { scriptedModel } from 'statek/testing';
import { z } from 'zod';

const code = (...lines: string[]): string => `\`\`\`ts\n${lines.join('\n')}\n\`\`\``;

const script = scriptedModel([
  // 1. A result that does not follow the schema is shown to the model, which goes on.
  code('const lines = input.text.split("\\n").map((line) => line.split(": "));', 'exit({ total: lines[0][1] })'),
  code('exit({ total: Number(lines[0][1]), currency: "EUR" })'),
  // 2. It asks back, and goes on in the same program with the answer.
  code('const currency = await clarify("Which currency?");', 'exit({ total: 12, currency })'),
  // 3. It says that it cannot be done.
  code('fail("There is no sum in this text.")'),
]);
const agent = new Agent({
  role: 'bookkeeper',
  systemPrompt: 'You read invoices.',
  metadata: { MODEL: 'script' }, // with a key in the environment: 'openai/gpt-5-mini'
  models: new Models({ models: { script } }),
});
const readInvoice = agent.task({
  description: 'Finds the total of an invoice.',
  input: z.object({ text: z.string().min(1) }),
  output: z.object({ total: z.number(), currency: z.enum(['EUR', 'USD']) }),
});

// The type of `invoice` is { total: number; currency: 'EUR' | 'USD' }.
const invoice = await readInvoice({ text: 'Total: 99.5\nThank you' });
console.log('success:', invoice.total, invoice.currency);
const [, second] = script.requests;
const told = second?.messages.map(messageText).find((text) => text.includes('not accepted')) ?? '';
console.log('  the model was told:', told.split('. ')[0]);

const asked = await readInvoice.run({ text: 'Total: 12' });
if (asked.outcome === 'clarify') {
  console.log('clarify:', asked.question);
  console.log('  answered:', await asked.answer('USD'));
}

console.log('fail:', await readInvoice.run({ text: 'Hello!' }));

// Wrong input throws before any model is asked.
const before = script.requests.length;
await readInvoice({ text: '' }).catch((error: unknown) => console.log('wrong input:', (error as Error).name));
console.log('  requests made for it:', script.requests.length - before);
