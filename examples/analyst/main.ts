// An analyst in Python over a million durable rows: npm run example analyst [-- --rows 100000]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Agent, Durable, Statek } from 'statek';
import { scriptedModel } from 'statek/testing';
import { code, exampleModels } from '../models.ts';
import { transcript } from '../transcript.ts';

const { values } = parseArgs({ options: { rows: { type: 'string', default: '1000000' } } });
const rows = Number(values.rows);

/** A year of sales in columns, sorted by day. Lists are kept in chunks: code that reads ten of a million numbers loads one chunk. */
class Ledger extends Durable {
  static durable = { name: 'Ledger', singleton: true };
  day: number[] = [];
  customer: string[] = [];
  cents: number[] = [];
}

const analyst = new Agent({
  role: 'analyst',
  language: 'python',
  systemPrompt: `You look into a year of sales: ledger.day (0 to 364, sorted), ledger.customer and ledger.cents are live sequences of
the same length, in order, and long. Read slices of them, at most 50,000 at a time; keep results, not rows. ledger.cents[i] = x corrects one.
End with exit({"corrected": row, "total": euros}).`,
  limits: { sliceMilliseconds: 20_000 }, // one look at every row takes a few seconds
  metadata: { MODEL: 'script' },
});
const script = scriptedModel([
  // The days are sorted, and bisect needs only their index: twenty rows of a million are read.
  code(
    'python',
    'from bisect import bisect_left',
    'from collections import Counter',
    'june = slice(bisect_left(ledger.day, 151), bisect_left(ledger.day, 158))',
    'week = Counter()',
    'for customer, cents in zip(ledger.customer[june], ledger.cents[june]):',
    '    week[customer] += cents',
    'print(f"{june.stop - june.start:,} sales in the first week of June;", week.most_common(2))',
  ),
  // Every row once, in slices.
  code(
    'python',
    'size = 50_000',
    'def parts():',
    '    return ((start, ledger.cents[start:start + size]) for start in range(0, len(ledger.cents), size))',
    'lowest = [(min(part), start + part.index(min(part))) for start, part in parts()]',
    'sums = [sum(part) for _, part in parts()]',
    'print(f"{sum(sums) / 100:,.2f} EUR in all; the lowest sale is {min(lowest)[0]} cents, row {min(lowest)[1]:,}")',
  ),
  code(
    'python',
    '# A sale of minus ten thousand euros is a mistake: a sign too much.',
    'amount, row = min(lowest)',
    'ledger.cents[row] = -amount',
    'exit({"corrected": row, "total": (sum(sums) - 2 * amount) / 100})',
  ),
]);

const folder = mkdtempSync(join(tmpdir(), 'statek-'));
const kit = await Statek.open({
  store: folder,
  classes: [Ledger],
  agents: [analyst],
  models: exampleModels({ script }),
});
const ledger = new Ledger();
const batch = 100_000;
for (let from = 0; from < rows; from += batch)
  await kit.transaction(() => {
    const numbers = Array.from({ length: Math.min(batch, rows - from) }, (_, index) => from + index);
    ledger.day.push(...numbers.map((number) => Math.floor((number * 365) / rows)));
    ledger.customer.push(...numbers.map((number) => `customer ${(number * 7919) % 997}`));
    ledger.cents.push(
      ...numbers.map((number) => (number === Math.floor(rows * 0.7) ? -1_000_000 : 500 + ((number * 31) % 9000))),
    );
  });
console.log(`${rows.toLocaleString('en')} rows in the store\n`);
const before = await kit.store.revision();

const job = await kit.submit(analyst, {
  message: 'Who bought most in the first week of June? Is anything odd?',
  vars: { ledger },
});
const result = (await job.result()) as { readonly corrected: number };
console.log(await transcript(job));
console.log('\nresult:', result);

// The correction has written one chunk, and the old one is still there.
const old = await kit.at(before, () => ledger.cents[result.corrected]);
console.log(`row ${result.corrected}: ${old} → ${ledger.cents[result.corrected]}`);
console.log('variables:', Object.keys(await job.locals()).join(', '));
await kit.close();
rmSync(folder, { recursive: true, force: true });
