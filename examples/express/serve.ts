// The shop with durable agents: two lines, and what they do with orders and payments.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Statek } from 'statek';
import { server } from 'statek/server';
import { shop } from './shop.ts';

export interface Shop {
  readonly url: string;
  close(): Promise<void>;
}

export async function serveShop(kit: Statek, port: number): Promise<Shop> {
  const app = shop({
    async ordered(order) {
      await kit.submit('shipper', { id: `order-${order.id}`, vars: { order }, message: `Ship order ${order.id}.` });
    },
    // The webhook becomes a signal. A payment that comes before the agent waits for it is kept.
    paid: (order, payment) => kit.signal(`paid-${order}`, payment),
    list: async () =>
      Promise.all(
        (await kit.jobs({ role: 'shipper' })).map(async (job) => ({
          id: job.id,
          state: job.status === 'DONE' ? String(await job.result()) : 'waits for payment',
        })),
      ),
  });

  // The two lines. Whoever can open this page may look; yours asks its session who sent the request.
  app.use('/statek', server(kit, { authorize: () => ({ name: 'visitor', rights: ['read'] }) }).node);
  const worker = kit.start();

  const listening = app.listen(port, '127.0.0.1');
  await once(listening, 'listening');
  return {
    url: `http://127.0.0.1:${(listening.address() as AddressInfo).port}/`,
    close: async () => {
      listening.close();
      listening.closeAllConnections();
      await worker.stop();
    },
  };
}
