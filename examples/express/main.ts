// An Express application that gains durable agents: npm run example express [-- --serve --port 3000 --model provider/name]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Statek } from 'statek';
import { serveShop } from './serve.ts';
import { models, shipperWith } from './shipper.ts';

const { values } = parseArgs({
  options: {
    serve: { type: 'boolean', default: false },
    port: { type: 'string', default: '0' },
    model: { type: 'string', default: 'script' },
  },
});
const folder = mkdtempSync(join(tmpdir(), 'statek-express-'));
const open = (): Promise<Statek> => Statek.open({ store: folder, agents: [shipperWith(values.model)], models });
let kit = await open();
let shop = await serveShop(kit, Number(values.port));

const post = async (path: string, body: unknown): Promise<void> => {
  const headers = { 'content-type': 'application/json' };
  const { status } = await fetch(`${shop.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  console.log(`POST /${path}: ${status}`);
};
const orders = async (): Promise<void> => console.log(await (await fetch(`${shop.url}orders`)).json());

await post('orders', { id: '7', item: 'a lamp', to: 'Ann' });
for await (const { kind } of kit.events({ job: 'order-7', since: 0 })) if (kind === 'suspended') break;
await orders();

if (values.serve) {
  console.log(`Open ${shop.url}, then: curl -H 'content-type: application/json' \\
  -d '{"order":"7","amount":40}' ${shop.url}webhooks/payments`);
  await new Promise((resolve) => process.once('SIGINT', resolve));
} else {
  // Days later, in another process.
  await shop.close();
  await kit.close();
  kit = await open();
  shop = await serveShop(kit, Number(values.port));
  console.log('restarted');
  await post('webhooks/payments', { order: '7', amount: 40 });
  await (await kit.job('order-7')).result();
  await orders();
}
await shop.close();
await kit.close();
rmSync(folder, { recursive: true, force: true });
