// An analysis over 20,000 durable objects: the agent's program never holds them. It asks indexes and queries through handles,
// and keeps only what it has computed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, Durable, find, index, Models, Statek, tags, type Query } from 'statek';
import { scriptedModel } from 'statek/testing';

class Order extends Durable {
  static durable = { name: 'Order' };
  customer: string;
  day: Date;
  cents: number;

  constructor(customer: string, day: Date, cents: number) {
    super();
    this.customer = customer;
    this.day = day;
    this.cents = cents;
  }
}

class Shop extends Durable {
  static durable = { name: 'Shop', singleton: true };
  /** Orders by day, for ranges. */
  byDay = index<Order>();

  /** Orders that came back, a query that is read page by page. */
  returned(): Query<Order> {
    return find(Order, 'returned');
  }
}

const code = (...lines: string[]): string => `\`\`\`ts\n${lines.join('\n')}\n\`\`\``;
const script = scriptedModel([
  code(
    'const [from, to] = [new Date("2026-06-01"), new Date("2026-06-08")];',
    'print(shop.byDay.count(from, to), "orders in the first week of June");',
  ),
  code(
    'const sums = {};',
    'for (const { customer, cents } of shop.byDay.select(from, to)) sums[customer] = (sums[customer] ?? 0) + cents;',
    'const best = Object.entries(sums).sort((a, b) => b[1] - a[1]).slice(0, 3);',
    'print(best);',
  ),
  code(
    'const returned = shop.returned();',
    'print(returned.count(), "came back, the first from", returned.first().customer);',
  ),
  code('exit({ best: best.map(([customer, cents]) => `${customer}: ${(cents / 100).toFixed(2)}`) })'),
]);
const analyst = new Agent({
  role: 'analyst',
  systemPrompt: 'You look into the numbers of a shop.',
  metadata: { MODEL: 'script' },
});

const folder = mkdtempSync(join(tmpdir(), 'statek-'));
const kit = await Statek.open({
  store: folder,
  classes: [Order, Shop],
  agents: [analyst],
  models: new Models({ models: { script } }),
});
const shop = new Shop();
const total = 20_000;
for (let from = 0; from < total; from += 5000)
  await kit.transaction(() => {
    for (let number = from; number < from + 5000; number++) {
      const day = new Date(Date.UTC(2026, 0, 1 + (number % 365)));
      const order = new Order(`customer ${(number * 7919) % 997}`, day, 500 + ((number * 31) % 9000));
      shop.byDay.add(day, order);
      if (number % 500 === 0) tags(order).add('returned');
    }
  });
console.log(total.toLocaleString('en'), 'orders in the store');

const job = await kit.submit(analyst, { message: 'Who bought most in the first week of June?', vars: { shop } });
console.log(await job.result());
for (const line of await job.console()) console.log('  │', line);
console.log('variables:', Object.keys(await job.locals()).join(', '));
await kit.close();
rmSync(folder, { recursive: true, force: true });
