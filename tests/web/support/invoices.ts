// A job that went wrong, for the tour in the documentation: the agent adds up invoices, and one of the amounts is a text.
import { Agent, Models } from '../../../src/index.ts';
import { scriptedModel, type ScriptedModel } from '../../../src/testing.ts';

const reading = `Let me add them up.
\`\`\`ts
const invoices = [
  { from: 'Paper & Sons', amount: 120 },
  { from: 'Blue Hotel', amount: 640 },
  { from: 'City Cabs', amount: '1,200' },
  { from: 'Green Energy', amount: 310 },
];
let total = 0;
for (const invoice of invoices) {
  total += Number(invoice.amount);
  print(invoice.from, total);
  await sleep(40);
}
await approve(\`Pay \${total} EUR in all?\`, { details: invoices });
\`\`\``;

const careful = reading.replace('Number(invoice.amount)', "Number(String(invoice.amount).replaceAll(',', ''))");

/** The prompt decides which program the model writes, as it would with a real one. */
export function invoiceModels(): { readonly models: Models; readonly script: ScriptedModel } {
  const reply = ({ messages }: { readonly messages: readonly unknown[] }): string => {
    const text = JSON.stringify(messages);
    return text.includes('thousands') ? careful : reading;
  };
  const script = scriptedModel(Array.from({ length: 50 }, () => reply));
  return { models: new Models({ models: { script } }), script };
}

export const bookkeeper = new Agent({
  role: 'bookkeeper',
  chatStyle: 'MD_DIALOG',
  description: 'Adds up invoices and asks before anything is paid.',
  metadata: { MODEL: 'script' },
  systemPrompt: 'You add up invoices and ask before anything is paid.',
});

export const betterPrompt =
  'You add up invoices and ask before anything is paid. Amounts may be texts with commas between thousands: remove them.';
