// Waiting for people, over days: reminders, a deadline, a deputy who decides. Time is simulated; nothing runs while it passes,
// and the process is ended and begun anew in between.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, Models, Statek, tool } from 'statek';
import { scriptedModel, SimulatedClock } from 'statek/testing';

const day = 24 * 60 * 60 * 1000;
const clock = new SimulatedClock(Date.UTC(2026, 2, 6, 9)); // a Friday
const now = (): string => new Date(clock.now()).toISOString().slice(0, 10);
const note = (text: string): void => console.log(`${now()}  ${text}`);

const script = scriptedModel(
  [
    `\`\`\`ts
const decide = async (who, days) => {
  for (let reminder = 0; reminder < days; reminder++) {
    try {
      return await approve(\`\${who}: pay \${invoice.amount} EUR to \${invoice.to}?\`, invoice, { timeout: ${day} });
    } catch (error) {
      if (error.name !== 'TimeoutError') throw error;
      await remind(who);
    }
  }
  return undefined; // nobody has decided
};
const approved = (await decide('Ann', 3)) ?? (await decide('Ben', 3));
const receipt = approved ? await pay({ amount: invoice.amount }) : 'nobody answered';
exit(receipt);
\`\`\``,
  ],
  { by: 'turn' },
);

const remind = async (who: string): Promise<void> => note(`reminder to ${who}`);
const pay = tool({
  name: 'pay',
  description: 'Pays.',
  execute: async ({ amount }: { amount: number }, { idempotencyKey }) => {
    note(`paid ${amount} EUR`);
    return `receipt ${idempotencyKey}`;
  },
});
const cashier = new Agent({
  role: 'cashier',
  systemPrompt: 'You pay invoices, once somebody has agreed.',
  metadata: { MODEL: 'script' },
  tools: { remind, pay },
});

const folder = mkdtempSync(join(tmpdir(), 'statek-'));
const open = (): Promise<Statek> =>
  Statek.open({ store: folder, clock, agents: [cashier], models: new Models({ models: { script } }) });

/** Lets days pass, one after the other, with a process that is there for a moment each day. */
async function daysPass(count: number): Promise<void> {
  for (let passed = 0; passed < count; passed++) {
    clock.advance(day);
    const kit = await open();
    await kit.runUntilIdle();
    await kit.close();
  }
}

const invoice = { to: 'Printers Ltd', amount: 1200 };
let kit = await open();
await kit.submit(cashier, { id: 'invoice-7', message: 'Pay this invoice.', vars: { invoice } });
await kit.runUntilIdle();
for await (const { question } of kit.pending()) note(`asked ${question}`);
await kit.close();

await daysPass(4);

kit = await open();
for await (const { id, question } of kit.pending({ kind: 'approve' })) {
  note(`asked ${question}`);
  await kit.approve(id, { by: 'Ben', comment: 'Ann is on holiday' });
}
const job = await kit.job('invoice-7');
console.log('\nresult:', await job.result());
for (const { question, approved, by = 'nobody', asked } of await job.decisions())
  console.log(
    `  ${asked.toISOString().slice(0, 10)}  ${question}  ${approved === true ? `agreed by ${by}` : 'no answer'}`,
  );
await kit.close();
rmSync(folder, { recursive: true, force: true });
